#include "core/text/detail/shard.h"

namespace kurve::text::detail {
namespace {

constexpr const char *kNarrow = "ids.u16", *kWide = "ids.i32", *kOffset = "offset.u64",
                     *kExample = "example.u32", *kDocument = "document.u64";

bool isNarrow(std::int32_t vocabulary) {
    return vocabulary <= 1 << 16;
}

}  // namespace

ShardWriter::ShardWriter(CacheWriter& out, std::int32_t vocabulary, bool documents)
    : narrow_(isNarrow(vocabulary)),
      ids_(out.array(narrow_ ? kNarrow : kWide)),
      offset_(out.array(kOffset)),
      example_(out.array(kExample)) {
    offset_.add(count_);
    if (!documents) return;
    maybeDocument_ = &out.array(kDocument);
    maybeDocument_->add(sequences_);
}

void ShardWriter::addSequence(std::span<const std::int32_t> ids) {
    for (const std::int32_t id : ids) {
        if (narrow_)
            ids_.add(static_cast<std::uint16_t>(id));
        else
            ids_.add(id);
    }
    offset_.add(count_ += ids.size());
    ++sequences_;
}

void ShardWriter::endExample(std::size_t numberInCorpus) {
    example_.add(static_cast<std::uint32_t>(numberInCorpus));
    if (maybeDocument_ != nullptr) maybeDocument_->add(sequences_);
}

Shard openShard(std::shared_ptr<const CacheFolder> folder, std::int32_t vocabulary) {
    Shard shard;
    if (isNarrow(vocabulary))
        shard.ids.narrow = folder->array<std::uint16_t>(kNarrow);
    else
        shard.ids.wide = folder->array<std::int32_t>(kWide);
    shard.ids.offset = folder->array<std::uint64_t>(kOffset);
    if (folder->has(kDocument)) shard.ids.documents = folder->array<std::uint64_t>(kDocument);
    shard.examples = folder->array<std::uint32_t>(kExample);
    shard.ids.owner = std::move(folder);
    return shard;
}

}  // namespace kurve::text::detail
