//! Puts rectangles on shelves: rows that are filled from the left.

use crate::layout::{GAP, Point, Size};

/// The upper left corner of each rectangle, and the size of the whole.
pub fn pack(sizes: &[Size]) -> (Vec<Point>, Size) {
    let area: f64 = sizes.iter().map(|size| (size.width + GAP) * (size.height + GAP)).sum();
    let widest = sizes.iter().map(|size| size.width).fold(0.0, f64::max);
    let most = widest.max((area * 2.0).sqrt());
    let mut corners = Vec::with_capacity(sizes.len());
    let mut whole = Size::default();
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0_f64);
    for size in sizes {
        if x > 0.0 && x + size.width > most {
            y += row_height + GAP;
            (x, row_height) = (0.0, 0.0);
        }
        corners.push(Point { x, y });
        row_height = row_height.max(size.height);
        whole.width = whole.width.max(x + size.width);
        whole.height = whole.height.max(y + size.height);
        x += size.width + GAP;
    }
    (corners, whole)
}
