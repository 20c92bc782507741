#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::text {

/// What tells a sentence from others: half of the SHA-256 of its ids.
using SentenceKey = std::array<std::uint64_t, 2>;
[[nodiscard]] SentenceKey sentenceKey(std::span<const std::int32_t> ids);

/// Vectors of sentences in half precision, by their ids: memory-mapped shards, each a cache folder that is
/// whole or not there, in a folder of data/cache that is named by what they were computed with. find() is
/// callable from any thread, not beside add().
class SentenceVectors {
public:
    /// The shards in `folder`, which need not exist; empty or a link: vectors are kept nowhere. `madeBy` says
    /// with what they were computed. One of something else, cut short or damaged is deleted, one that cannot
    /// be read is left out: a line in `log`.
    SentenceVectors(std::filesystem::path folder, std::string madeBy, std::int64_t width,
                    std::vector<std::string>& log);
    SentenceVectors(SentenceVectors&&) noexcept;
    SentenceVectors& operator=(SentenceVectors&&) noexcept;
    ~SentenceVectors();

    /// [width], the bits of float16; empty: not there.
    [[nodiscard]] std::span<const std::uint16_t> find(const SentenceKey& key) const;
    /// As one more shard: values [keys, width]. Errors: io.write.
    Status add(std::span<const SentenceKey> keys, std::span<const std::uint16_t> values);
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::int64_t width() const { return width_; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    struct Shard;
    std::filesystem::path folder_;
    std::string madeBy_;
    std::int64_t width_;
    std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace kurve::text
