#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/store/run_reader.h"

namespace kurve::engine {

/// The corpora of a project against the hashes that were written when they were imported and when runs were
/// trained with them. Collects the recorded hashes first, so that a file is read once and a difference
/// reported once.
class CorpusCheck {
public:
    explicit CorpusCheck(std::filesystem::path project) : project_(std::move(project)) {}

    /// The hashes of data/<name>.corpus.json; all of them, or those of the files that runs named before.
    enum class Imports : unsigned char { All, OfRuns };
    void addImports(Imports which);
    /// The hashes in a run's record, or the fingerprint of all its files together.
    void addRun(const std::string& id, const store::RunReader& run);

    /// One entry for each checked thing. Errors: verify.corpus, which names the file, what its hash is,
    /// what it was, and who recorded that.
    [[nodiscard]] std::vector<Status> findings() const;

private:
    struct Record {
        std::string file, sha256;
        auto operator<=>(const Record&) const = default;
    };
    struct Import {
        std::filesystem::path file;
        std::string name;
    };
    void addImport(const Import& import, Imports which);
    void checkFingerprint(const std::string& id, const std::map<std::string, std::string>& values);
    [[nodiscard]] Status check(const Record& record, const std::vector<std::string>& recorders) const;

    std::filesystem::path project_;
    std::map<Record, std::vector<std::string>> recorders_;
    std::vector<Status> other_;
};

}  // namespace kurve::engine
