# filled in by hand
