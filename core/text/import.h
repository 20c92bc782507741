#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/result.h"
#include "core/text/corpus.h"
#include "core/text/statistics.h"

namespace kurve::text {

/// Files of one split: one file, or source lines and target lines.
struct SplitFiles {
    std::filesystem::path source, target;  ///< target empty: source is a TSV
};

struct ImportRequest {
    std::string name;                          ///< of the corpus: letters, digits, - and _
    std::map<std::string, SplitFiles> splits;  ///< "train" and, if they exist, "valid" and "test"
    CorpusOptions options;
    std::size_t validPairs = 0, testPairs = 0;  ///< held out from train where that split is not given
    bool force = false;                         ///< replace a corpus of that name
    bool sameLanguage = false;                  ///< noted in the record: source and target share a language
    CorpusKind kind = CorpusKind::Pairs;        ///< of the others the files are "*.txt"
};

struct ImportedSplit {
    std::string file;    ///< relative to the project
    std::string sha256;  ///< of that file
    CorpusReport report;
    std::int64_t pairs = 0, sentences = 0, duplicates = 0;  ///< sentences: of documents
};
struct ImportReport {
    std::string name, file;  ///< data/<name>.corpus.json, relative to the project
    CorpusKind kind = CorpusKind::Pairs;
    std::map<std::string, ImportedSplit> splits;
    std::map<std::string, Leak> leaks;  ///< "valid", "test": what they share with train
    std::int64_t removedAsLeak =
        0;  ///< pairs removed from train because they would leak into a held-out split
    bool sameLanguage = false;
};
/// The splits as an import would write them, and its report without hashes.
struct PlannedImport {
    ImportReport report;
    std::map<std::string, Corpus> splits;
};

/// That `name` can be a corpus of the project and, unless it is to be replaced, is free. Errors: data.name,
/// data.exists.
Status checkCorpusName(const std::filesystem::path& project, const std::string& name, bool force);

/// Reads, splits and compares; writes nothing and does not check the name. Errors: those of reading,
/// data.too_few.
Result<PlannedImport> planImport(const ImportRequest& request);

/// Copies a corpus into <project>/data as <name>.<split>.tsv (UTF-8, two columns, notices kept) or .txt (a
/// text, or a sentence of a document, in each line; an empty line behind a document), and writes
/// <name>.corpus.json with counts and content hashes. Held-out splits are fixed by a hash of the source's, or
/// the text's, letters: adding a line moves no other. Errors: those of reading, data.name, data.exists,
/// data.too_few, io.write.
Result<ImportReport> importCorpus(const ImportRequest& request, const std::filesystem::path& project);

/// What <name>.corpus.json holds and `kurve data import --json` prints.
[[nodiscard]] nlohmann::json toJson(const ImportReport& report);

}  // namespace kurve::text
