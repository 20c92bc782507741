#pragma once

#include "app/engine/command.h"

namespace kurve::engine {

/// Declares the options that every command takes. Values land in `common`, which must outlive the parse.
void addCommonOptions(CLI::App& app, CommonOptions& common);
/// Refuses numbers that are not finite (CLI11's ranges let NaN through) and empty texts and lists in all
/// options of the command and its sub-commands, but where a text may be empty.
void refuseNonsense(CLI::App& app);
/// Notes every option's default for the help, but where its text names it: "(default: …)".
void showDefaults(CLI::App& app);
/// --threads is needed before the parse (platform.h); 0 if it is not there or no number
/// of threads.
[[nodiscard]] int requestedThreads(int argc, char** argv);
/// --json decides the form of errors of the parse itself.
[[nodiscard]] bool jsonRequested(int argc, char** argv);

}  // namespace kurve::engine
