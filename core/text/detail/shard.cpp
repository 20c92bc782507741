#include "core/text/detail/shard.h"

namespace kurve::text::detail {
namespace {

constexpr const char *kNarrow = "ids.u16", *kWide = "ids.i32", *kOffset = "offset.u64",
                     *kExample = "example.u32";

bool isNarrow(std::int32_t vocabulary) {
    return vocabulary <= 1 << 16;
}

}  // namespace

ShardWriter::ShardWriter(CacheWriter& out, std::int32_t vocabulary)
    : narrow_(isNarrow(vocabulary)),
      ids_(out.array(narrow_ ? kNarrow : kWide)),
      offset_(out.array(kOffset)),
      example_(out.array(kExample)) {
    offset_.add(count_);
}

void ShardWriter::addSequence(std::span<const std::int32_t> ids) {
    for (const std::int32_t id : ids) {
        if (narrow_)
            ids_.add(static_cast<std::uint16_t>(id));
        else
            ids_.add(id);
    }
    offset_.add(count_ += ids.size());
}

void ShardWriter::endExample(std::size_t numberInCorpus) {
    example_.add(static_cast<std::uint32_t>(numberInCorpus));
}

Shard openShard(std::shared_ptr<const CacheFolder> folder, std::int32_t vocabulary) {
    Shard shard;
    if (isNarrow(vocabulary))
        shard.ids.narrow = folder->array<std::uint16_t>(kNarrow);
    else
        shard.ids.wide = folder->array<std::int32_t>(kWide);
    shard.ids.offset = folder->array<std::uint64_t>(kOffset);
    shard.examples = folder->array<std::uint32_t>(kExample);
    shard.ids.owner = std::move(folder);
    return shard;
}

}  // namespace kurve::text::detail
