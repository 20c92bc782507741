#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/text/published/published_tokenizer.h"

namespace kurve::text {
namespace {

/// A tokenizer with special tokens behind its vocabulary, which no text encodes to.
class CompletedTokenizer : public Tokenizer {
public:
    CompletedTokenizer(std::shared_ptr<const Tokenizer> base, const SpecialIds& special,
                       std::vector<std::string> appended)
        : base_(std::move(base)),
          special_(special),
          appended_(std::move(appended)),
          hash_(
              sha256(fmt::format("completed tokenizer 1\n{}\n{} {} {} {} {}\n{}", base_->hash(), special.bos,
                                 special.eos, special.pad, special.unk, special.mask, appended_.size()))) {}

    [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text) const override {
        return base_->encode(text);
    }
    [[nodiscard]] std::string decode(std::span<const std::int32_t> ids) const override {
        std::vector<std::int32_t> shown;
        std::copy_if(ids.begin(), ids.end(), std::back_inserter(shown),
                     [&](std::int32_t id) { return !appendedName(id); });
        return base_->decode(shown);
    }
    [[nodiscard]] std::string token(std::int32_t id) const override {
        const std::string* const name = appendedName(id);
        return name != nullptr ? *name : base_->token(id);
    }
    [[nodiscard]] std::int32_t vocabularySize() const override {
        return base_->vocabularySize() + static_cast<std::int32_t>(appended_.size());
    }
    [[nodiscard]] const SpecialIds& special() const override { return special_; }
    [[nodiscard]] WordBoundary wordBoundary() const override { return base_->wordBoundary(); }
    [[nodiscard]] const std::string& hash() const override { return hash_; }

private:
    [[nodiscard]] const std::string* appendedName(std::int32_t id) const {
        KURVE_CHECK(id >= 0 && id < vocabularySize(), "id {} of {}", id, vocabularySize());
        return id < base_->vocabularySize()
                   ? nullptr
                   : &appended_[static_cast<std::size_t>(id - base_->vocabularySize())];
    }

    std::shared_ptr<const Tokenizer> base_;
    SpecialIds special_;
    std::vector<std::string> appended_;
    std::string hash_;
};

Error otherSize(std::int64_t has, std::int64_t wanted) {
    return requestError("tokenizer.vocabulary",
                        fmt::format("has {} tokens with the special ones that it needs, the model has {}",
                                    has, wanted))
        .fix("give the model's own tokenizer");
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> completeTokenizer(std::shared_ptr<const Tokenizer> published,
                                                           std::int64_t vocabulary) {
    constexpr std::int32_t kNone = SpecialIds::kNone;
    SpecialIds special = published->special();
    std::vector<std::string> appended;
    const auto size = [&] {
        return published->vocabularySize() + static_cast<std::int32_t>(appended.size());
    };
    const auto append = [&](const char* name, std::int32_t& id) {
        if (id != kNone) return;
        id = size();
        appended.emplace_back(name);
    };
    append("<mask>", special.mask);
    if (special.bos == kNone) special.bos = special.eos;
    append("<end>", special.bos);
    if (special.eos == kNone) special.eos = special.bos;
    if (special.pad == kNone && size() == vocabulary) special.pad = special.eos;
    append("<pad>", special.pad);
    if (vocabulary != 0 && vocabulary != size()) return otherSize(size(), vocabulary);
    if (special == published->special()) return published;
    return std::make_shared<CompletedTokenizer>(std::move(published), special, std::move(appended));
}

}  // namespace kurve::text
