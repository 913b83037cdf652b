//! Skeletons of implementations, from a model alone.

use std::path::Path;

use trapline_report::formats::code::skeleton::Skeleton;
use trapline_suite::read::FORMATS;
use trapline_suite::rename::Renaming;

use super::{Args, keep_filled_in, name};
use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::load;
use crate::map_file::MapFile;

/// Writes a skeleton, and beside it the adapter that it needs.
pub fn write(skeleton: &Skeleton, args: &Args, context: &Context) -> Result<Exit, Failure> {
    let path = model_path(skeleton, args)?;
    refuse_names(skeleton, context)?;
    keep_filled_in(context)?;
    let map = args.map.as_ref().map(|path| MapFile::read(path, context)).transpose()?;
    let model = ModelArgs { path: path.to_path_buf(), reading: args.reading.clone() };
    let loaded = load::load(&model, &args.limit.limits(), context)?;
    let dictionary = match &map {
        None => Renaming::default().dictionary(&loaded.model),
        Some(map) => map.renaming.dictionary(&loaded.model),
    };
    let dictionary = dictionary.map_err(|wrong| match &map {
        Some(map) => map.refuse(&wrong, context),
        None => Failure::Bug(format!("the model's own names: {wrong:?}")),
    })?;
    let text = skeleton.render(&dictionary.model, &loaded.path, &name(context, "Sut"));
    let text = text.map_err(|error| Failure::Bug(format!("{}: {error}", skeleton.name)))?;
    context.write(&text)?;
    write_beside(skeleton, context)?;
    Ok(Exit::Done)
}

/// There must be one file, and it is the model.
fn model_path<'a>(skeleton: &Skeleton, args: &'a Args) -> Result<&'a Path, Failure> {
    let from_model = format!("{} is written from the model alone", skeleton.name);
    if args.stub {
        let text = format!("{} is itself what is filled in", skeleton.name);
        return Err(Failure::refused(text).help("leave out --stub"));
    }
    let [path] = args.files.as_slice() else {
        return Err(Failure::refused(from_model).help("leave out the suite"));
    };
    let shown = path.to_string_lossy();
    let is_suite = FORMATS.iter().flat_map(|format| format.endings).any(|end| shown.ends_with(end));
    if args.suite_format.is_some() || is_suite && args.reading.language.is_none() {
        return Err(Failure::refused(from_model).help("pass the model instead of the suite"));
    }
    Ok(path)
}

/// A skeleton must not have the name of a file that it needs.
fn refuse_names(skeleton: &Skeleton, context: &Context) -> Result<(), Failure> {
    let output = context.output.as_deref().and_then(Path::file_name);
    let is_output = |(name, _): &&(&str, &str)| output.is_some_and(|output| output == *name);
    match skeleton.beside.iter().find(is_output) {
        Some((name, _)) => {
            let text = format!("`{name}` is the adapter, which the skeleton needs beside it");
            Err(Failure::refused(text).help("choose another name"))
        }
        None => Ok(()),
    }
}

/// Writes what the skeleton needs where it is, unless that is there.
fn write_beside(skeleton: &Skeleton, context: &Context) -> Result<(), Failure> {
    let names: Vec<&str> = skeleton.beside.iter().map(|(name, _)| *name).collect();
    let Some(output) = &context.output else {
        let text = format!("it needs {} beside it, which -o FILE writes too", names.join(" and "));
        context.terminal.note(&text);
        return Ok(());
    };
    for (name, text) in skeleton.beside {
        let path = output.with_file_name(name);
        if !path.exists() {
            let mut file = context.open(&path)?;
            file.write(text)?;
            file.finish()?;
            context.terminal.note(&format!("{}: the adapter that it needs", path.display()));
        }
    }
    Ok(())
}
