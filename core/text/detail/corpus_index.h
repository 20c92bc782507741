#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/corpus_reader.h"
#include "core/text/detail/cache_folder.h"
#include "core/text/statistics.h"

namespace kurve::text::detail {

using FileHashes = std::map<std::filesystem::path, std::string>;

/// Corpus::sha256 from its files alone, which each go into `maybeEach`. Errors: data.missing, data.is_folder,
/// io.*.
Result<std::string> corpusHash(const CorpusSource& files, FileHashes* maybeEach = nullptr);

/// Where the examples of a corpus stand in its files, so that texts are read when they are asked for; kept in
/// data/cache. Callable from any thread.
class CorpusIndex {
public:
    /// Reads the files once to hash them and, where the cache does not know them, once more.
    static Result<std::shared_ptr<const CorpusIndex>> open(const CorpusSource& files,
                                                           const CacheFolder::Place& cache,
                                                           std::vector<std::string>& log);

    [[nodiscard]] std::size_t size() const { return positions_.size(); }
    [[nodiscard]] const std::string& sha256() const { return sha256_; }  ///< Corpus::sha256
    [[nodiscard]] const FileHashes& hashes() const { return hashes_; }   ///< of its files
    [[nodiscard]] const CorpusReport& report() const { return report_; }
    [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }
    [[nodiscard]] const CorpusSource& files() const { return files_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  ///< of all files

    /// Texts by their number in the corpus. Errors: data.changed (the file is not what was indexed), io.*.
    [[nodiscard]] Result<std::vector<Pair>> read(std::span<const std::uint32_t> examples) const;

    /// What `other` shares with this training corpus, as findLeak().
    [[nodiscard]] Result<Leak> leakInto(const CorpusIndex& other) const;

private:
    [[nodiscard]] Status checkUnchanged() const;

    CorpusSource files_;
    std::string sha256_;
    FileHashes hashes_;
    std::vector<std::string> stamps_;  ///< size and time of each file when it was hashed
    std::uint64_t bytes_ = 0;
    CorpusReport report_;
    std::vector<std::string> notices_;
    std::optional<CacheFolder> folder_;
    std::span<const CorpusReader::Position> positions_;
    std::span<const PairKeys> keys_;
};

}  // namespace kurve::text::detail
