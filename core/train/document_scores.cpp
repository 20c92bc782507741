#include "core/train/document_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/text/tokenizer.h"

namespace kurve::train {
namespace {

constexpr std::size_t kContext = 10;  // sentences
constexpr int kOrders = 3;

std::vector<std::string> sentenceTexts(const text::Split& split, std::size_t document,
                                       const text::Tokenizer& target) {
    std::vector<std::string> sentences;
    for (std::size_t s = 0; s < split.sentences(document); ++s) {
        const auto ids = split.sentence(document, s);
        sentences.push_back(target.decode(std::span(ids).subspan(1, ids.size() - 2)));
    }
    return sentences;
}

/// The next document that has a sentence there, or none.
std::optional<std::size_t> elsewhere(const std::vector<std::vector<std::string>>& documents,
                                     std::size_t document, std::size_t sentence) {
    for (std::size_t step = 1; step < documents.size(); ++step) {
        const std::size_t other = (document + step) % documents.size();
        if (documents[other].size() > sentence) return other;
    }
    return std::nullopt;
}

double sumOf(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

std::string contextOf(const SentenceInContext& one) {
    const std::size_t first = one.before.size() > kContext ? one.before.size() - kContext : 0;
    return join(std::span(one.before).subspan(first), " ");
}

}  // namespace

Result<NextSentences> nextSentences(const TextModel& text, const text::Split& split, const RunConfig& sampler,
                                    const NextSentencesRequest& request) {
    const text::Tokenizer& target = *text.tokenizers.target;
    std::vector<std::vector<std::string>> documents;
    std::size_t most = 0;
    for (std::size_t d = 0; d < std::min(request.count, split.size()); ++d) {
        documents.push_back(sentenceTexts(split, d, target));
        most = std::max(most, documents.back().size());
    }
    NextSentences out;
    for (std::size_t s = 1; s < most; ++s) {
        GenerateRequest generate;
        generate.seed = request.seed;
        generate.cancel = request.cancel;
        std::vector<std::size_t> which;
        for (std::size_t d = 0; d < documents.size(); ++d) {
            if (documents[d].size() <= s || s < split.promptSentences(d)) continue;
            text::TextTemplate known{{target.special().bos}, true, {}};
            for (std::size_t i = 0; i < s; ++i) known.sentences.push_back(split.sentence(d, i));
            generate.sources.emplace_back();
            generate.templates.push_back(std::move(known));
            which.push_back(d);
        }
        if (which.empty()) continue;
        KURVE_TRY(const RunConfig one,
                  sampler.with(std::vector<Override>{{"sampler.max_sentences", std::to_string(s + 1)}}));
        KURVE_TRY(const Generation made, text.model.generate(generate, one, nullptr));
        if (made.cancelled) return NextSentences();
        for (std::size_t i = 0; i < which.size(); ++i) {
            const auto& document = documents[which[i]];
            const std::vector<std::string> before(document.begin(),
                                                  document.begin() + static_cast<std::ptrdiff_t>(s));
            const Candidate& best = made.rows[i].best;
            const auto last = static_cast<std::size_t>(best.sentences.back());
            out.predicted.push_back({before, target.decode(std::span(best.ids).last(last))});
            out.truth.push_back({before, document[s]});
            if (const auto other = elsewhere(documents, which[i], s))
                out.elsewhere.push_back({before, documents[*other][s]});
        }
        if (request.alive) request.alive();
    }
    return out;
}

Result<metrics::Score> mutualInformation(TextScorer& scorer, std::span<const SentenceInContext> sentences) {
    std::vector<ScoredPair> together, alone;
    for (const SentenceInContext& one : sentences) {
        if (trim(one.sentence).empty()) continue;  // says nothing, in no token
        alone.push_back({"", one.sentence});
        together.push_back({"", contextOf(one) + " " + one.sentence});
    }
    KURVE_TRY(const ScoredTexts of, scorer.read(alone, false));
    KURVE_TRY(const ScoredTexts within, scorer.read(together, false));
    std::vector<metrics::SentenceLikelihood> read;
    for (std::size_t i = 0; i < alone.size(); ++i) {
        const std::span<const double> own = of.logProbability[i], all = within.logProbability[i];
        if (own.size() < 2 || all.size() < own.size()) continue;
        // The tokens of the sentence, without the end of the text behind it.
        const std::size_t tokens = own.size() - 1;
        read.push_back({sumOf(all.subspan(all.size() - 1 - tokens, tokens)), sumOf(own.first(tokens)),
                        static_cast<double>(tokens)});
    }
    KURVE_TRY(metrics::Score score, metrics::mutualInformation(read));
    score.parts["unread"] = static_cast<double>(sentences.size() - read.size());
    score.signature = fmt::format("context:{}|scorer:{}|{}", kContext, scorer.name(), score.signature);
    return score;
}

std::vector<std::string> reordered(const std::vector<std::string>& sentences, RandomStream& draw) {
    std::vector<std::string> other = sentences;
    if (std::all_of(other.begin(), other.end(), [&](const auto& one) { return one == other.front(); }))
        return other;
    while (other == sentences) draw.shuffle(std::span(other));
    return other;
}

Result<metrics::Score> coherence(TextScorer& scorer, std::span<const std::vector<std::string>> documents,
                                 std::uint64_t seed) {
    std::vector<ScoredPair> texts;
    for (std::size_t d = 0; d < documents.size(); ++d) {
        if (documents[d].size() < 2) continue;
        texts.push_back({"", join(documents[d], " ")});
        RandomStream draw(seed, "coherence.order", d);
        for (int order = 0; order < kOrders; ++order)
            texts.push_back({"", join(reordered(documents[d], draw), " ")});
    }
    KURVE_TRY(const ScoredTexts read, scorer.read(texts, false));
    std::vector<metrics::OrderLikelihood> found;
    for (std::size_t first = 0; first < texts.size(); first += kOrders + 1) {
        const auto orders = std::span(read.logProbability).subspan(first, kOrders + 1);
        if (std::any_of(orders.begin(), orders.end(), [](const auto& one) { return one.empty(); })) continue;
        metrics::OrderLikelihood& one = found.emplace_back();
        one.asIs = sumOf(orders.front());
        for (const auto& other : orders.subspan(1)) one.permuted.push_back(sumOf(other));
    }
    KURVE_TRY(metrics::Score score, metrics::coherence(found));
    score.parts["unread"] = static_cast<double>(documents.size() - found.size());
    score.signature = fmt::format("orders:{}|scorer:{}|{}", kOrders, scorer.name(), score.signature);
    return score;
}

}  // namespace kurve::train
