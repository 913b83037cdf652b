//! The tests of the engines: against brute force, against each other, and against what is known.

mod budget;
mod certificates;
mod clash;
mod cone_partition;
mod engines_lassos;
mod engines_laws;
mod engines_models;
mod engines_operators;
mod engines_project;
mod engines_reach;
mod engines_styles;
mod functional;
mod nusmv_verdicts;
mod partial;
mod possible;
mod sal_modules;
mod scr_equivalence;
mod scr_tables;
mod tableau;
mod walks;
mod wellformed;
