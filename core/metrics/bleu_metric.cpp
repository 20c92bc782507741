#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/version.h"
#include "core/metrics/detail/bleu.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/detail/metric_kinds.h"
#include "core/metrics/detail/tokenize.h"

namespace kurve::metrics {
namespace detail {

BleuSegment::BleuSegment(std::span<const std::uint32_t> tokens) : length(static_cast<int>(tokens.size())) {
    for (int n = 1; n <= kBleuOrder; ++n) ngrams[static_cast<std::size_t>(n) - 1] = countNgrams(tokens, n);
}

BleuRow bleuRow(const BleuSegment& hypothesis, std::span<const BleuSegment> references) {
    BleuRow row{};
    const auto distance = [&](const BleuSegment& reference) {
        return std::abs(reference.length - hypothesis.length);
    };
    const auto closest =
        std::min_element(references.begin(), references.end(), [&](const auto& a, const auto& b) {
            return std::pair(distance(a), a.length) < std::pair(distance(b), b.length);
        });
    row[0] = hypothesis.length;
    row[1] = closest->length;
    for (std::size_t n = 0; n < kBleuOrder; ++n) {
        NgramCounts united = references.front().ngrams[n];
        for (const BleuSegment& reference : references.subspan(1))
            united = unite(united, reference.ngrams[n]);
        row[2 + n] = matches(hypothesis.ngrams[n], united);
        row[2 + kBleuOrder + n] = std::max(0, hypothesis.length - static_cast<int>(n));
    }
    return row;
}

namespace {

double brevityPenalty(std::span<const double> row) {
    if (row[0] >= row[1]) return 1;
    return row[0] > 0 ? std::exp(1 - row[1] / row[0]) : 0;
}

}  // namespace

BleuResult bleuOf(std::span<const double> row, BleuOrder order, BleuSmoothing smoothing) {
    const auto matched = row.subspan(2, kBleuOrder), total = row.subspan(2 + kBleuOrder, kBleuOrder);
    BleuResult result;
    result.brevityPenalty = brevityPenalty(row);
    if (std::all_of(matched.begin(), matched.end(), [](double count) { return count == 0; })) return result;
    double divisor = 1, logSum = 0;
    std::size_t orders = 0;
    for (; orders < kBleuOrder && total[orders] > 0; ++orders) {
        const bool none = matched[orders] == 0;
        if (none && smoothing == BleuSmoothing::None) return result;
        if (none) divisor *= 2;
        result.precisions[orders] = 100 * (none ? 1 / divisor : matched[orders]) / total[orders];
        logSum += std::log(result.precisions[orders]);
    }
    if (order == BleuOrder::Full && orders < kBleuOrder) return result;  // no 4-gram in the whole corpus
    result.score = result.brevityPenalty * std::exp(logSum / static_cast<double>(orders));
    return result;
}

double nltkBleu(std::span<const double> row) {
    const auto matched = row.subspan(2, kBleuOrder), total = row.subspan(2 + kBleuOrder, kBleuOrder);
    if (matched[0] == 0) return 0;
    double divisor = 5, logSum = 0;
    for (std::size_t n = 0; n < kBleuOrder; ++n) {
        double count = matched[n];
        if (count == 0 && row[0] > 1) count = std::log(row[0]) / (divisor *= 2);
        // Skipped, an order keeps its weight: as if its precision were 1.
        if (count > 0) logSum += std::log(count / std::max(1.0, total[n]));
    }
    return 100 * brevityPenalty(row) * std::exp(logSum / kBleuOrder);
}

namespace {

struct BleuCorpus {
    NamedTokenizer tokenizer;
    SentenceStatistics statistics{std::tuple_size_v<BleuRow>};
};

Result<BleuCorpus> readCorpus(const MetricInput& input, const char* tokenizer) {
    BleuCorpus corpus;
    KURVE_TRY(corpus.tokenizer, tokenizerOf(input, tokenizer));
    Vocabulary vocabulary;
    const auto segment = [&](const std::string& text) {
        return BleuSegment(vocabulary.ids(corpus.tokenizer.split(text)));
    };
    for (std::size_t i = 0; i < input.hypotheses.size(); ++i) {
        std::vector<BleuSegment> references{segment(input.references[i])};
        for (const auto& more : input.moreReferences) references.push_back(segment(more[i]));
        corpus.statistics.add(bleuRow(segment(input.hypotheses[i]), references));
    }
    return corpus;
}

struct Form {
    const char *effective = "no", *smoothing = "exp", *version = "version:2.5.1";
};
std::string signature(const MetricInput& input, const std::string& tokenizer, const Form& form) {
    return fmt::format("nrefs:{}|case:mixed|eff:{}|tok:{}|smooth:{}|{}", 1 + input.moreReferences.size(),
                       form.effective, tokenizer, form.smoothing, form.version);
}

Score corpusBleu(const BleuCorpus& corpus, BleuSmoothing smoothing) {
    const auto bleu = [smoothing](auto sums) { return bleuOf(sums, BleuOrder::Full, smoothing); };
    Score score = scoreOf(corpus.statistics, [&](auto sums) { return bleu(sums).score; });
    const std::vector<double> sums = corpus.statistics.sums();
    const BleuResult result = bleu(std::span<const double>(sums));
    for (std::size_t n = 0; n < kBleuOrder; ++n)
        score.parts[fmt::format("precision{}", n + 1)] = result.precisions[n];
    score.parts["bp"] = result.brevityPenalty;
    score.parts["ratio"] = sums[1] > 0 ? sums[0] / sums[1] : 0;
    score.parts["hyp_len"] = sums[0];
    score.parts["ref_len"] = sums[1];
    return score;
}

Result<Score> computeBleu(const MetricInput& input) {
    KURVE_TRY(const BleuCorpus corpus, readCorpus(input, "13a"));
    Score score = corpusBleu(corpus, BleuSmoothing::Exponential);
    score.signature = signature(input, corpus.tokenizer.name, {});
    return score;
}

Result<Score> computeCompoundBleu(const MetricInput& input) {
    KURVE_TRY(const BleuCorpus corpus, readCorpus(input, "compound"));
    Score score = corpusBleu(corpus, BleuSmoothing::None);
    const std::string version = fmt::format("kurve:{}", versionText());
    score.signature = signature(input, corpus.tokenizer.name, {"no", "none", version.c_str()});
    return score;
}

Score meanOverSentences(const BleuCorpus& corpus, double (*bleu)(std::span<const double> row)) {
    SentenceStatistics scores(2);
    for (std::size_t i = 0; i < corpus.statistics.sentences(); ++i)
        scores.add(std::array{bleu(corpus.statistics.row(i)), 1.0});
    return scoreOf(scores, [](auto sums) { return sums[0] / sums[1]; });
}

Result<Score> computeSentenceBleu(const MetricInput& input) {
    KURVE_TRY(const BleuCorpus corpus, readCorpus(input, "13a"));
    Score score = meanOverSentences(corpus, [](auto row) { return bleuOf(row, BleuOrder::Effective).score; });
    score.signature = signature(input, corpus.tokenizer.name, {"yes"});
    return score;
}

Result<Score> computeNltkBleu(const MetricInput& input) {
    KURVE_TRY(const BleuCorpus corpus, readCorpus(input, "none"));
    Score score = meanOverSentences(corpus, nltkBleu);
    const std::string version = fmt::format("nltk:3.6+|kurve:{}", versionText());
    score.signature = signature(input, corpus.tokenizer.name, {"no", "method4", version.c_str()});
    return score;
}

}  // namespace

MetricKind bleuKind() {
    return {"bleu", "BLEU", "",         "corpus BLEU of 1- to 4-grams, equal to sacreBLEU's, 0 to 100",
            true,   true,   computeBleu};
}

MetricKind compoundBleuKind() {
    return {
        "bleu-compound",
        "Compound-split BLEU",
        "",
        "corpus BLEU as the papers on masked models report it: white space as tokenizer, hyphens within a "
        "word split off, no smoothing, 0 to 100",
        true,
        true,
        computeCompoundBleu};
}

MetricKind sentenceBleuKind() {
    return {"sentence-bleu",
            "Sentence BLEU",
            "",
            "mean over sentences of BLEU with effective order, 0 to 100",
            true,
            true,
            computeSentenceBleu};
}

MetricKind nltkBleuKind() {
    return {"bleu-nltk4",
            "NLTK sentence BLEU",
            "",
            "mean over sentences of NLTK's sentence_bleu: 1- to 4-grams, smoothing method 4 as of NLTK 3.6 "
            "(NLTK 3.5 and older give other numbers), white space as tokenizer; DiffuSeq's BLEU, 0 to 100",
            true,
            true,
            computeNltkBleu};
}

}  // namespace detail

double sentenceBleu(const std::string& hypothesis, const std::string& reference) {
    detail::Vocabulary vocabulary;
    const auto tokenizer = detail::tokenizerOf({}, "13a");
    const detail::BleuSegment left(vocabulary.ids(tokenizer->split(hypothesis)));
    const detail::BleuSegment right(vocabulary.ids(tokenizer->split(reference)));
    return detail::bleuOf(detail::bleuRow(left, {&right, 1}), detail::BleuOrder::Effective).score;
}

}  // namespace kurve::metrics
