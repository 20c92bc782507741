#include "core/text/sentence_vectors.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/text/detail/cache_folder.h"

namespace kurve::text {
namespace {

namespace fs = std::filesystem;
using detail::CacheFolder;
using detail::CacheWriter;

constexpr std::size_t kNameLength = 16;  // of a shard
constexpr const char *kKeys = "key.u64", *kVectors = "vector.f16";

bool isShardName(const std::string& name) {
    return name.size() == kNameLength && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

template <class T>
std::string_view bytesOf(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

SentenceKey sentenceKey(std::span<const std::int32_t> ids) {
    const std::string hex = sha256(bytesOf(ids));
    SentenceKey key{};
    for (std::size_t i = 0; i < key.size(); ++i) std::from_chars(&hex[16 * i], &hex[16 * i] + 16, key[i], 16);
    return key;
}

/// Sorted keys, and a vector for each.
struct SentenceVectors::Shard {
    explicit Shard(CacheFolder opened)
        : folder(std::move(opened)),
          keys(folder.array<SentenceKey>(kKeys)),
          vectors(folder.array<std::uint16_t>(kVectors)) {}

    CacheFolder folder;
    std::span<const SentenceKey> keys;
    std::span<const std::uint16_t> vectors;
};

SentenceVectors::SentenceVectors(fs::path folder, std::string madeBy, std::int64_t width,
                                 std::vector<std::string>& log)
    : folder_(std::move(folder)), madeBy_(std::move(madeBy)), width_(width) {
    if (const Status own = checkNoLink(folder_); !own) {
        log.push_back("vectors are not kept: " + own.error().text());
        folder_.clear();
    }
    std::vector<fs::path> all;
    std::error_code ignored;
    if (!folder_.empty())
        for (const auto& entry : fs::directory_iterator(folder_, ignored))
            if (entry.is_directory(ignored) && isShardName(entry.path().filename().string()))
                all.push_back(entry.path());
    std::sort(all.begin(), all.end());
    for (const fs::path& one : all) {
        auto opened = CacheFolder::open(one, madeBy_);
        if (opened && opened->has(kKeys) && opened->has(kVectors)) {
            auto shard = std::make_unique<Shard>(std::move(*opened));
            if (shard->vectors.size() == shard->keys.size() * static_cast<std::size_t>(width_)) {
                shards_.push_back(std::move(shard));
                continue;
            }
        }
        Error why = opened ? workError("data.cache", "has vectors of another width").in(one.string())
                           : std::move(opened.error());
        // Another error may pass: hours of work stay for the next time.
        if (why.code == "data.cache") (void)removeInside(folder_, one.filename());
        log.push_back("vectors are computed again: " + std::move(why).fix("").text());
    }
}

SentenceVectors::SentenceVectors(SentenceVectors&&) noexcept = default;
SentenceVectors& SentenceVectors::operator=(SentenceVectors&&) noexcept = default;
SentenceVectors::~SentenceVectors() = default;

std::span<const std::uint16_t> SentenceVectors::find(const SentenceKey& key) const {
    const auto width = static_cast<std::size_t>(width_);
    for (const auto& shard : shards_) {
        const auto found = std::lower_bound(shard->keys.begin(), shard->keys.end(), key);
        if (found != shard->keys.end() && *found == key)
            return shard->vectors.subspan(static_cast<std::size_t>(found - shard->keys.begin()) * width,
                                          width);
    }
    return {};
}

Status SentenceVectors::add(std::span<const SentenceKey> keys, std::span<const std::uint16_t> values) {
    const auto width = static_cast<std::size_t>(width_);
    KURVE_CHECK(values.size() == keys.size() * width, "{} values for {} vectors of width {}", values.size(),
                keys.size(), width);
    if (keys.empty() || folder_.empty()) return {};
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    const auto write = [&](CacheWriter& out) -> Status {
        auto &sorted = out.array(kKeys), &vectors = out.array(kVectors);
        for (const std::size_t i : order) {
            sorted.add(keys[i]);
            for (const std::uint16_t value : values.subspan(i * width, width)) vectors.add(value);
        }
        return {};
    };
    std::string all;
    for (const std::size_t i : order) all += bytesOf(std::span<const std::uint64_t>(keys[i]));
    std::error_code problem;
    fs::create_directories(folder_, problem);
    std::vector<std::string> log;
    KURVE_TRY(CacheFolder made, CacheFolder::openOrMake({folder_, true}, sha256(all).substr(0, kNameLength),
                                                        madeBy_, write, log));
    shards_.push_back(std::make_unique<Shard>(std::move(made)));
    return {};
}

std::size_t SentenceVectors::size() const {
    std::size_t count = 0;
    for (const auto& shard : shards_) count += shard->keys.size();
    return count;
}

}  // namespace kurve::text
