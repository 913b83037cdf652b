//! Suites in files of several formats.
