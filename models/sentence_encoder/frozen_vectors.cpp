#include "models/sentence_encoder/frozen_vectors.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/hash.h"
#include "core/tensor/to_device.h"
#include "models/common/padding.h"
#include "models/sentence_encoder/encoder_model.h"

namespace kurve::models::sentence_encoder {
namespace {

constexpr std::size_t kShard = 8192;  // sentences that are stored at once
constexpr std::size_t kBatchTokensGpu = 65536;
constexpr double kTellSeconds = 0.2;

using Ids = std::vector<std::int32_t>;

std::string madeBy(const train::ReferencedRun& run) {
    return fmt::format("sentence vectors 1\n{}\n{}\n{} {}", run.pin.weights, run.pin.tokenizer,
                       run.config.text("model.pooling"), run.config.flag("model.normalize"));
}

std::filesystem::path folderFor(const train::ReferencedRun& run) {
    if (run.cache.empty()) return {};
    return run.cache / (sha256(madeBy(run)).substr(0, 16) + ".vectors");
}

std::span<const std::uint16_t> bitsOf(const at::Tensor& halves) {
    return {reinterpret_cast<const std::uint16_t*>(halves.const_data_ptr<at::Half>()),
            static_cast<std::size_t>(halves.numel())};
}

}  // namespace

/// Where one lies in the data.
struct FrozenVectors::Sentence {
    const text::Split* split = nullptr;
    std::uint32_t example = 0, number = 0, length = 0;
    text::SentenceKey key;

    [[nodiscard]] Ids ids() const { return split->sentence(example, number); }
};

/// Tells how many sentences are done, now and then and at the end. Callable from any thread.
class FrozenVectors::Count {
public:
    Count(const train::VectorWork& work, std::size_t all) : work_(work), all_(all) {}
    void add(std::size_t sentences) {
        const std::lock_guard lock(mutex_);
        done_ += sentences;
        const double now = steadySeconds();
        if (!work_.progress || (done_ < all_ && now - told_ < kTellSeconds)) return;
        told_ = now;
        work_.progress(static_cast<double>(done_) / static_cast<double>(all_),
                       fmt::format("vectors of {} of {}", done_, counted(all_, "sentence")));
    }

private:
    const train::VectorWork& work_;
    const std::size_t all_;
    std::mutex mutex_;
    std::size_t done_ = 0;
    double told_ = steadySeconds();
};

/// What is stored at once, in batches of sentences of one length.
struct FrozenVectors::Chunk {
    Chunk(std::span<const Sentence> some, c10::Device device, std::int64_t width)
        : sentences(some), vectors(at::empty({static_cast<std::int64_t>(some.size()), width}, at::kHalf)) {
        const std::size_t most = device.is_cpu() ? kBatchTokens : kBatchTokensGpu;
        for (std::size_t row = 0; row < sentences.size(); ++row)
            if (row == 0 || sentences[row].length != sentences[row - 1].length ||
                (row - begins.back() + 1) * sentences[row].length > most)
                begins.push_back(row);
        done.assign(begins.size(), 0);
    }
    [[nodiscard]] std::size_t endOf(std::size_t batch) const {
        return batch + 1 < begins.size() ? begins[batch + 1] : sentences.size();
    }
    /// [rows, L] i64
    [[nodiscard]] at::Tensor idsOf(std::size_t batch) const {
        std::vector<std::int64_t> all;
        for (std::size_t row = begins[batch]; row < endOf(batch); ++row) {
            const Ids one = sentences[row].ids();
            all.insert(all.end(), one.begin(), one.end());
        }
        return at::tensor(all, at::kLong)
            .view({-1, static_cast<std::int64_t>(sentences[begins[batch]].length)});
    }

    std::span<const Sentence> sentences;
    std::vector<std::size_t> begins;  ///< of the batches
    std::vector<char> done;           ///< by batch
    at::Tensor vectors;               ///< [sentences, w] f16
};

FrozenVectors::FrozenVectors(std::unique_ptr<train::SequenceModel> model, text::SentenceVectors stored)
    : model_(std::move(model)),
      encoder_(dynamic_cast<EncoderModel&>(*model_).net()),
      stored_(std::move(stored)) {}

Result<std::shared_ptr<FrozenVectors>> FrozenVectors::of(train::ReferencedRun& run, c10::Device device) {
    const bool kept = !device.is_meta();  // of shapes alone there is one for each model: it is counted
    if (const auto known = run.vectors.find(device.str()); kept && known != run.vectors.end())
        return std::static_pointer_cast<FrozenVectors>(known->second);
    KURVE_TRY(auto model, run.frozenModel(device));
    std::vector<std::string> log;
    text::SentenceVectors stored(kept ? folderFor(run) : std::filesystem::path(), madeBy(run),
                                 run.config.integer("model.hidden"), log);
    std::shared_ptr<FrozenVectors> vectors(new FrozenVectors(std::move(model), std::move(stored)));
    vectors->notes_ = std::move(log);
    if (kept) run.vectors[device.str()] = vectors;
    return vectors;
}

at::Tensor FrozenVectors::of(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                             const at::Tensor& maybeHostIds) {
    const torch::NoGradGuard frozen;
    const at::Tensor vectors =
        (ids.is_meta() ? encoder_(ids) : found(ids, lengths, maybeHostIds)).to(at::kFloat);
    return vectors * (std::sqrt(static_cast<double>(width())) / vectors.norm(2, -1, true));
}

at::Tensor FrozenVectors::found(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                const at::Tensor& maybeHostIds) {
    const at::Tensor host = (maybeHostIds.defined() ? maybeHostIds : ids.to(at::kCPU)).contiguous();
    at::Tensor halves = at::empty({ids.size(0), width()}, at::kHalf);
    std::map<std::int32_t, std::vector<std::int64_t>> others;  // rows by length
    for (std::int64_t row = 0; row < ids.size(0); ++row) {
        const std::int32_t length = lengths[static_cast<std::size_t>(row)];
        const auto* const from = host.const_data_ptr<std::int64_t>() + row * ids.size(1);
        const auto stored = stored_.find(text::sentenceKey(Ids(from, from + length)));
        if (stored.empty())
            others[length].push_back(row);
        else
            std::memcpy(halves.data_ptr<at::Half>() + row * width(), stored.data(), stored.size_bytes());
    }
    halves = tensor::toDevice(halves, ids.device());
    for (const auto& [length, rows] : others) {
        const at::Tensor which = toDevice(std::span<const std::int64_t>(rows), ids.device());
        halves.index_copy_(0, which, encoder_(ids.index_select(0, which).narrow(1, 0, length)).to(at::kHalf));
    }
    return halves;
}

std::int64_t FrozenVectors::missing(const text::Dataset& data) const {
    std::int64_t all = 0;
    return static_cast<std::int64_t>(uncomputed(data, all).size());
}

std::vector<FrozenVectors::Sentence> FrozenVectors::uncomputed(const text::Dataset& data,
                                                               std::int64_t& all) const {
    std::vector<Sentence> sentences;
    std::set<text::SentenceKey> seen;
    for (const text::Split* split : {&data.train, &data.valid, &data.test})
        for (std::size_t example = 0; example < split->size(); ++example)
            for (std::size_t number = 0; number < split->sentences(example); ++number) {
                Sentence one{split,
                             static_cast<std::uint32_t>(example),
                             static_cast<std::uint32_t>(number),
                             static_cast<std::uint32_t>(split->sentenceLength(example, number)),
                             {}};
                one.key = text::sentenceKey(one.ids());
                if (!seen.insert(one.key).second) continue;
                if (stored_.find(one.key).empty()) sentences.push_back(one);
            }
    all = static_cast<std::int64_t>(seen.size());
    std::stable_sort(sentences.begin(), sentences.end(),
                     [](const Sentence& a, const Sentence& b) { return a.length > b.length; });
    return sentences;
}

void FrozenVectors::encode(Chunk& chunk, const train::VectorWork& work, Count& count) {
    const c10::Device device = encoder_.net().device();
    inThreads(device.is_cpu() ? work.threads : 1, chunk.begins.size(), [&](std::size_t batch) {
        if (work.stopped && work.stopped()) return;
        const at::Tensor ids = chunk.idsOf(batch).to(device);
        chunk.vectors.narrow(0, static_cast<std::int64_t>(chunk.begins[batch]), ids.size(0))
            .copy_(encoder_(ids));
        chunk.done[batch] = 1;
        count.add(static_cast<std::size_t>(ids.size(0)));
    });
}

Status FrozenVectors::store(const Chunk& chunk, const text::Dataset& data) {
    std::vector<text::SentenceKey> keys;
    std::vector<std::int64_t> rows;
    for (std::size_t number = 0; number < chunk.begins.size(); ++number)
        for (std::size_t row = chunk.begins[number]; chunk.done[number] != 0 && row < chunk.endOf(number);
             ++row) {
            keys.push_back(chunk.sentences[row].key);
            rows.push_back(static_cast<std::int64_t>(row));
        }
    const at::Tensor vectors = chunk.vectors.index_select(0, at::tensor(rows, at::kLong)).contiguous();
    const at::Tensor bad = at::isfinite(vectors).all(1).logical_not().nonzero();
    if (bad.numel() == 0) return stored_.add(keys, bitsOf(vectors));
    const auto row = rows[static_cast<std::size_t>(bad.flatten()[0].item<std::int64_t>())];
    return workError("vectors.not_finite",
                     fmt::format("the encoder gives a sentence a vector that is not finite: \"{}\"",
                                 data.target->decode(chunk.sentences[static_cast<std::size_t>(row)].ids())))
        .at("model.encoder")
        .fix("take the sentence out of the corpus, or name another encoder");
}

Result<train::PreparedVectors> FrozenVectors::prepare(const text::Dataset& data,
                                                      const train::VectorWork& work) {
    const double begin = steadySeconds();
    const std::size_t before = stored_.size();
    train::PreparedVectors out;
    out.folder = stored_.folder();
    out.notes = std::move(notes_);
    const std::vector<Sentence> all = uncomputed(data, out.sentences);
    Count count(work, all.size());
    const auto added = [&] { return static_cast<std::int64_t>(stored_.size() - before); };
    for (std::size_t first = 0; first < all.size() && !out.folder.empty(); first += kShard) {
        Chunk chunk(std::span(all).subspan(first, std::min(kShard, all.size() - first)),
                    encoder_.net().device(), width());
        encode(chunk, work, count);
        KURVE_CHECKED(store(chunk, data));
        if (work.stopped && work.stopped())
            return workError(train::kVectorsStopped, fmt::format("stopped after the vectors of {} of {}",
                                                                 added(), counted(all.size(), "sentence")))
                .fix("start it again: it goes on from there");
    }
    out.added = added();
    out.seconds = steadySeconds() - begin;
    return out;
}

}  // namespace kurve::models::sentence_encoder
