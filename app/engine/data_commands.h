#pragma once

#include "app/engine/command.h"
#include "core/store/project.h"
#include "core/text/corpus.h"

namespace kurve::engine {

/// The project that --project names, or the one that the working folder lies in.
Result<store::Project> openProject(const CommonOptions& common);
/// --source-column and --target-column.
void addColumns(CLI::App& app, text::CorpusOptions& options);
/// kurve data import.
Action setupDataImport(CLI::App& app);
/// kurve data vectors.
Action setupDataVectors(CLI::App& app);
/// kurve data tokenizer.
Action setupDataTokenizer(CLI::App& app);

}  // namespace kurve::engine
