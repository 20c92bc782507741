#include "models/lcm/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <map>
#include <numeric>

#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/lcm/next_vectors.h"
#include "models/lcm/sentence_edits.h"
#include "models/lcm/sentence_recorder.h"

namespace kurve::models::lcm {
namespace {

using Ids = std::vector<std::int32_t>;

struct StopRules {
    std::int64_t most = 0;
    double end = 0, repeat = 0;  ///< cosines; 0: never
};

/// A document that is being written.
struct Document {
    std::size_t number = 0;      ///< in the request
    std::vector<Ids> known;      ///< sentences with <s> and </s>
    std::vector<Ids> sentences;  ///< without them
    at::Tensor last;             ///< [w] raw
    double score = 0;
    bool done = false, atEnd = false;
};

double cosine(const at::Tensor& a, const at::Tensor& b) {
    return at::cosine_similarity(a, b, 0).item<double>();
}

/// Errors: prompt.unsupported, sample.too_long, sample.no_context.
Result<std::vector<Ids>> knownOf(const train::GenerateRequest& request, std::size_t row,
                                 const LcmParts& parts, std::int64_t most) {
    std::vector<Ids> known;
    if (!request.templates.empty()) known = request.templates[row].sentences;
    if (known.empty() && parts.net->sizes().kind == LcmKind::Base)
        return requestError("sample.no_context", "Base-LCM has nothing to begin from")
            .at("prompt")
            .fix("give the document's first sentence");
    if (static_cast<std::int64_t>(known.size()) >= most)
        return requestError(
                   "sample.too_long",
                   fmt::format("the prompt has {} sentences, a document has at most {}", known.size(), most))
            .at("prompt")
            .fix("shorten the prompt or raise sampler.max_sentences");
    for (const Ids& sentence : known)
        if (static_cast<std::int64_t>(sentence.size()) - 1 > parts.concepts()->sizes().maxTokens)
            return requestError("sample.too_long",
                                fmt::format("a sentence has {} tokens, the model takes {}",
                                            sentence.size() - 1, parts.concepts()->sizes().maxTokens))
                .at("prompt")
                .fix("shorten the sentence");
    return known;
}

/// Writes documents of equally many known sentences side by side.
class Writer {
public:
    /// The edits are of text 0.
    Writer(LcmParts& parts, const train::GenerateRequest& request, VectorSampler sampler,
           const StopRules& stop, SentenceEdits edits)
        : parts_(parts),
          request_(request),
          sampler_(std::move(sampler)),
          stop_(stop),
          edits_(std::move(edits)) {}

    /// False if cancelled. `maybeRecorder` gets the first document.
    bool write(std::vector<Document>& documents, SentenceRecorder* maybeRecorder) {
        const auto rows = static_cast<std::int64_t>(documents.size());
        const auto next = parts_.net->begin(rows);
        read(documents, *next, maybeRecorder);
        for (auto sentence = static_cast<std::int64_t>(documents.front().known.size()); sentence < stop_.most;
             ++sentence) {
            if (request_.cancel.requested()) return false;
            if (std::all_of(documents.begin(), documents.end(), [](const Document& d) { return d.done; }))
                break;
            SentenceRecorder* recorder = documents.front().done ? nullptr : maybeRecorder;
            const VectorSampler& sampler = edits_.samplerAt(frames_, sampler_);
            const auto steps = static_cast<int>(sampler.steps());
            at::Tensor vectors = sampler.next(hooks(documents, *next, sampler, sentence, recorder));
            const Ids* maybeText = edits_.maybeText(sentence, frames_ + steps - 1);
            if (maybeText != nullptr) vectors[0].copy_(vectorOf(*maybeText));
            add(documents, parts_.concepts()->denormalised(vectors), maybeText);
            next->append(vectors);
            frames_ += steps;
        }
        return true;
    }
    [[nodiscard]] std::int64_t calls() const { return calls_; }

private:
    void read(std::vector<Document>& documents, NextSentence& next, SentenceRecorder* maybeRecorder) {
        for (std::size_t s = 0; s < documents.front().known.size(); ++s) {
            std::vector<Ids> rows;
            std::vector<std::size_t> order(documents.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            for (const Document& document : documents) rows.push_back(document.known[s]);
            const at::Tensor vectors = encoded(rows, order);
            for (std::size_t i = 0; i < documents.size(); ++i) {
                documents[i].last = vectors[static_cast<std::int64_t>(i)];
                documents[i].sentences.emplace_back(rows[i].begin() + 1, rows[i].end() - 1);
            }
            const at::Tensor normalised = parts_.concepts()->normalised(vectors);
            next.append(normalised);
            if (maybeRecorder != nullptr) maybeRecorder->know(normalised[0]);
        }
    }

    /// Raw vectors of sentences with <s> and </s>.
    [[nodiscard]] at::Tensor encoded(const std::vector<Ids>& rows,
                                     const std::vector<std::size_t>& order) const {
        const PaddedRows padded =
            padRows(rows, order, parts_.device(), {parts_.concepts()->sizes().special.pad, 1});
        return parts_.concepts()->encode({padded.ids, padded.lengths});
    }
    /// Normalised, [w], of a sentence without <s> and </s>.
    [[nodiscard]] at::Tensor vectorOf(Ids sentence) const {
        const text::SpecialIds& special = parts_.concepts()->sizes().special;
        sentence.insert(sentence.begin(), special.bos);
        sentence.push_back(special.eos);
        return parts_.concepts()->normalised(encoded({sentence}, {0})[0]);
    }

    NextVectorHooks hooks(const std::vector<Document>& documents, NextSentence& next,
                          const VectorSampler& sampler, std::int64_t sentence,
                          SentenceRecorder* maybeRecorder) {
        NextVectorHooks hooks;
        hooks.predict = [this, &next](const at::Tensor& noisy, std::int64_t step, bool withContext) {
            ++calls_;
            return next.predict(noisy, step, withContext);
        };
        hooks.predictBoth = [this, &next](const at::Tensor& noisy, std::int64_t step) {
            calls_ += 2;
            return next.predictBoth(noisy, step);
        };
        // A document's numbers depend on its row alone, not on its neighbours.
        const auto place = static_cast<std::uint64_t>(sentence);
        const auto draw = [this, &documents, place](const char* purpose, std::uint64_t number, bool normal) {
            const std::int64_t width = normal ? parts_.net->sizes().width : 1;
            std::vector<at::Tensor> rows;
            for (const Document& document : documents) {
                const tensor::RowStream stream{StreamId(request_.seed, purpose, place << 20 | number),
                                               request_.firstRow + document.number};
                rows.push_back(normal ? tensor::normalRows({1, width}, stream, parts_.device())
                                      : tensor::uniformRows({1, width}, stream, parts_.device()));
            }
            return at::cat(rows);
        };
        hooks.normals = [draw](std::uint64_t number) { return draw("lcm.sample", number, true); };
        hooks.uniforms = [this, draw](std::uint64_t number) {  // of codebook `number`, from 1
            at::Tensor drawn = draw("lcm.centroid", number, false).squeeze(1);
            if (const auto again = edits_.redrawn(frames_ + static_cast<int>(number) - 1))
                drawn[0].copy_(draw("lcm.centroid.edit", again << 10 | number, false)[0][0]);
            return drawn;
        };
        hooks.begin = [this, draw](std::size_t step, const at::Tensor& x) {
            const std::uint64_t again = edits_.redrawn(frames_ + static_cast<int>(step));
            if (again == 0) return x;
            at::Tensor fresh = x.clone();
            fresh[0].copy_(draw("lcm.sample.edit", again << 10 | step, true)[0]);
            return fresh;
        };
        if (maybeRecorder == nullptr) return hooks;
        hooks.done = [this, &documents, &sampler, maybeRecorder, sentence](
                         std::size_t step, const at::Tensor& state, const at::Tensor& estimate) {
            SentenceRecorder::State now{state[0], estimate[0]};
            now.maybeText = edits_.maybeText(sentence, frames_ + static_cast<int>(step));
            if (now.maybeText != nullptr) now.estimate = vectorOf(*now.maybeText);
            maybeRecorder->add(documents.front().sentences,
                               {static_cast<int>(sentence), static_cast<int>(step)}, sampler.timeOf(step),
                               now);
        };
        return hooks;
    }

    /// `maybeText`: what stands there in text 0, whatever its vector is decoded to.
    void add(std::vector<Document>& documents, const at::Tensor& vectors, const Ids* maybeText) {
        auto written = parts_.concepts()->write(vectors);
        if (maybeText != nullptr) written.ids[0] = *maybeText;
        const at::Tensor end = parts_.concepts()->denormalised(parts_.end);
        const bool knowsEnd = parts_.endsSeen.item<float>() > 0;
        for (std::size_t i = 0; i < documents.size(); ++i) {
            Document& document = documents[i];
            if (document.done) continue;
            const at::Tensor vector = vectors[static_cast<std::int64_t>(i)];
            document.atEnd = stop_.end > 0 && knowsEnd && cosine(vector, end) >= stop_.end;
            const bool repeats =
                stop_.repeat > 0 && document.last.defined() && cosine(vector, document.last) >= stop_.repeat;
            document.sentences.push_back(std::move(written.ids[i]));
            document.score += written.score[i];
            document.last = vector;
            document.done = document.atEnd || repeats;
        }
    }

    LcmParts& parts_;
    const train::GenerateRequest& request_;
    VectorSampler sampler_;
    StopRules stop_;
    SentenceEdits edits_;
    int frames_ = 0;  ///< denoising steps of the sentences before
    std::int64_t calls_ = 0;
};

train::GeneratedRow rowOf(const Document& document) {
    train::GeneratedRow row;
    for (const Ids& sentence : document.sentences) {
        row.best.ids.insert(row.best.ids.end(), sentence.begin(), sentence.end());
        row.best.sentences.push_back(static_cast<std::int32_t>(sentence.size()));
    }
    const auto written = static_cast<double>(document.sentences.size() - document.known.size());
    row.best.score = written > 0 ? document.score / written : 0;
    row.best.sampleStatistics = {{"sentences", {written, 1}}, {"ended", {document.atEnd ? 1.0 : 0.0, 1}}};
    row.candidates = {row.best};
    return row;
}

}  // namespace

Result<train::Generation> generateDocuments(LcmParts& parts, const train::GenerateRequest& request,
                                            const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    const torch::NoGradGuard noGrad;
    const Evaluating evaluating(*parts.net);
    KURVE_TRY(const VectorSampler how, VectorSampler::of(parts, sampler));
    const StopRules stop{std::min(sampler.integer("sampler.max_sentences"), parts.net->sizes().maxSentences),
                         sampler.real("sampler.end_similarity"), sampler.real("sampler.repeat_similarity")};
    std::map<std::size_t, std::vector<Document>> byKnown;
    for (std::size_t i = 0; i < request.sources.size(); ++i) {
        Document document;
        document.number = i;
        KURVE_TRY(document.known, knownOf(request, i, parts, stop.most));
        byKnown[document.known.size()].push_back(std::move(document));
    }
    train::Generation out;
    out.rows.resize(request.sources.size());
    const auto most = static_cast<std::size_t>(sampler.integer("sampler.batch_size"));
    for (auto& [count, all] : byKnown)
        for (std::size_t first = 0; first < all.size(); first += most) {
            std::vector<Document> some(
                std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(first)),
                std::make_move_iterator(all.begin() +
                                        static_cast<std::ptrdiff_t>(std::min(first + most, all.size()))));
            const bool holdsFirst = some.front().number == 0;
            SentenceEdits edits;
            if (holdsFirst) {
                KURVE_TRY(edits, SentenceEdits::of(parts, request, sampler, count));
            }
            Writer writer(parts, request, how, stop, std::move(edits));
            std::optional<SentenceRecorder> recorder;
            if (maybeTrace != nullptr && holdsFirst)
                recorder.emplace(parts, request, *maybeTrace, static_cast<int>(count), how.steps(),
                                 static_cast<int>(stop.most));
            const bool ended = writer.write(some, recorder ? &*recorder : nullptr);
            out.networkCalls += writer.calls();
            if ((out.cancelled = !ended)) return out;
            for (const Document& document : some) out.rows[document.number] = rowOf(document);
        }
    return out;
}

}  // namespace kurve::models::lcm
