#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/text/detail/cache_folder.h"
#include "core/text/split.h"

namespace kurve::text::detail {

/// Packs the ids of a split into a cache folder: ids.u16, or ids.i32 where the vocabulary needs it,
/// offset.u64 (where each sequence begins in them), example.u32 (number in the corpus) and, of documents,
/// document.u64 (where each begins in the sequences).
class ShardWriter {
public:
    ShardWriter(CacheWriter& out, std::int32_t vocabulary, bool documents = false);
    void addSequence(std::span<const std::int32_t> ids);
    void endExample(std::size_t numberInCorpus);

private:
    bool narrow_;
    ArrayWriter &ids_, &offset_, &example_;
    ArrayWriter* maybeDocument_ = nullptr;
    std::uint64_t count_ = 0, sequences_ = 0;
};

/// Such a folder, mapped.
struct Shard {
    PackedIds ids;
    std::span<const std::uint32_t> examples;  ///< their numbers in the corpus
};
[[nodiscard]] Shard openShard(std::shared_ptr<const CacheFolder> folder, std::int32_t vocabulary);

}  // namespace kurve::text::detail
