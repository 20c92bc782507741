#include "tests/support/synthetic_trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/curve/spline.h"

namespace kurve::test {
namespace {

const char* const kSentence[] = {"<s>",  "▁And",  "▁the",  "▁light", "▁sh",  "ine",  "th",    "▁in",
                                 "▁the", "▁dark", "ness",  ",",      "▁and", "▁the", "▁dark", "ness",
                                 "▁has", "▁not",  "▁over", "come",   "▁it",  ".",    "</s>"};
const char* const kSyllables[] = {"ba", "lo", "mi", "ren", "tas", "ver", "on", "di", "kel", "sur"};

using Rows = std::vector<std::vector<float>>;

struct Maker {
    SyntheticTrace spec;
    std::mt19937_64 random;
    std::vector<std::uint32_t> target;
    Rows embeddings;
    trace::Trace out;

    float normal() { return std::normal_distribution<float>()(random); }
    void makeVocabulary();
    void makeTarget();
    Rows estimate(int step);
    void recordStep(int step, const Rows& rows);
    void recordCell(int step, int position, const std::vector<float>& point);
    void recordCurve(const std::vector<Rows>& estimates);
};

void Maker::makeVocabulary() {
    embeddings.assign(static_cast<std::size_t>(spec.vocabulary), {});
    for (auto& row : embeddings) {
        row.resize(static_cast<std::size_t>(spec.dims));
        // Variance that falls from axis to axis, as in trained tables: a plane can show a good part of it.
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = normal() * 2.2F / std::sqrt(1.0F + static_cast<float>(i));
    }
    for (int id = 0; id < spec.vocabulary; ++id) {
        const auto n = static_cast<unsigned>(id);
        out.tokenTexts[n] = std::string("▁") + kSyllables[n % 10] + kSyllables[(n / 10) % 10];
    }
}

void Maker::makeTarget() {
    const int length = static_cast<int>(std::size(kSentence));
    const int words = spec.words > 0 ? spec.words : length;
    std::map<std::string, std::uint32_t> ids;
    for (int i = 0; i < words; ++i) {
        const char* token = i == words - 1 ? "</s>" : kSentence[i < length - 1 ? i : 1 + i % (length - 2)];
        auto [at, fresh] = ids.try_emplace(token, static_cast<std::uint32_t>(ids.size()));
        if (fresh) out.tokenTexts[at->second] = token;
        target.push_back(at->second);
    }
    out.positions = words;
}

Rows Maker::estimate(int step) {
    Rows rows;
    const float progress = static_cast<float>(step + 1) / static_cast<float>(spec.steps);
    for (std::size_t position = 0; position < target.size(); ++position) {
        const float pace = 0.35F + 0.5F * std::abs(std::sin(1.7F * static_cast<float>(position)));
        const float weight = 1.0F / (1.0F + std::exp(-14.0F * (progress - pace)));
        std::vector<float> point = embeddings[target[position]];
        for (float& x : point) x = weight * x + (1 - weight) * (0.45F * normal()) + 0.03F * normal();
        rows.push_back(std::move(point));
    }
    return rows;
}

void Maker::recordCell(int step, int position, const std::vector<float>& point) {
    std::vector<float> score(embeddings.size());
    std::vector<float> cosine(embeddings.size());
    const float norm = std::sqrt(std::inner_product(point.begin(), point.end(), point.begin(), 1e-9F));
    for (std::size_t v = 0; v < embeddings.size(); ++v) {
        float distance = 0, dot = 0, own = 1e-9F;
        for (std::size_t i = 0; i < point.size(); ++i) {
            const float e = embeddings[v][i];
            distance += (point[i] - e) * (point[i] - e);
            dot += point[i] * e;
            own += e * e;
        }
        score[v] = -0.5F * distance;
        cosine[v] = dot / (norm * std::sqrt(own));
    }
    const float top = *std::max_element(score.begin(), score.end());
    float sum = 0;
    for (float& s : score) sum += s = std::exp(s - top);
    float entropy = 0;
    for (float& s : score) {
        s /= sum;
        if (s > 0) entropy -= s * std::log(s);
    }
    std::vector<std::uint32_t> order(score.size());
    std::iota(order.begin(), order.end(), 0U);
    std::partial_sort(order.begin(), order.begin() + trace::kTopCandidates, order.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return score[a] > score[b]; });
    const std::size_t cell = out.cell(step, position);
    out.tokens[cell] = order[0];
    out.confidence[cell] = score[order[0]];
    out.entropy[cell] = entropy;
    std::nth_element(cosine.begin(), cosine.begin() + 1, cosine.end(), std::greater<>());
    out.margin[cell] = *std::max_element(cosine.begin(), cosine.begin() + 1) - cosine[1];
    for (std::size_t k = 0; k < trace::kTopCandidates; ++k) {
        out.topIds[cell * trace::kTopCandidates + k] = order[k];
        out.topProbability[cell * trace::kTopCandidates + k] = score[order[k]];
    }
    const bool same = step > 0 && out.tokens[out.cell(step - 1, position)] == order[0];
    const auto state = step == 0 ? trace::TokenState::New
                       : same    ? trace::TokenState::Kept
                                 : trace::TokenState::Flip;
    out.state[cell] = static_cast<std::uint8_t>(state);
}

void Maker::recordStep(int step, const Rows& rows) {
    for (int position = 0; position < out.positions; ++position)
        recordCell(step, position, rows[static_cast<std::size_t>(position)]);
    const double t = 1.0 - (step + 0.5) / spec.steps;
    out.t.push_back(t);
    out.logSnr.push_back(2 * std::log((1 - t + 0.02) / (t + 0.02)));
}

trace::Block block(std::vector<std::int64_t> shape, std::vector<float> data) {
    return {std::move(shape), std::move(data), true};
}

void Maker::recordCurve(const std::vector<Rows>& estimates) {
    const curve::ShapeRule rule{.rho = 2.0, .degree = 2};
    const curve::SplineShape shape = rule.shapeFor(out.positions);
    const curve::Matrix psi = curve::psi(shape), inverse = curve::pseudoInverse(shape);
    const auto dims = static_cast<std::size_t>(spec.dims);
    std::vector<float> points;
    for (const Rows& rows : estimates)
        for (int j = 0; j < shape.controlPoints; ++j)
            for (std::size_t i = 0; i < dims; ++i) {
                double sum = 0;
                for (int w = 0; w < out.positions; ++w)
                    sum += inverse.at(j, w) * rows[static_cast<std::size_t>(w)][i];
                points.push_back(static_cast<float>(sum));
            }
    const auto floats = [](const std::vector<double>& v) { return std::vector<float>(v.begin(), v.end()); };
    out.blocks["curve"] = block({spec.steps, shape.controlPoints, spec.dims}, std::move(points));
    out.blocks["psi"] = block({out.positions, shape.controlPoints}, floats(psi.data));
    out.blocks["greville"] = block({shape.controlPoints}, floats(curve::greville(shape)));
    out.blocks["index"] = block({out.positions}, floats(curve::wordPositions(shape)));
}

}  // namespace

trace::Trace syntheticTrace(const SyntheticTrace& spec) {
    Maker maker{spec, std::mt19937_64(spec.seed), {}, {}, {}};
    maker.makeVocabulary();
    maker.makeTarget();
    trace::Trace& out = maker.out;
    out.steps = spec.steps;
    const auto cells = static_cast<std::size_t>(out.steps) * static_cast<std::size_t>(out.positions);
    out.tokens.resize(cells);
    out.state.resize(cells);
    out.confidence.resize(cells);
    out.entropy.resize(cells);
    out.margin.resize(cells);
    out.topIds.resize(cells * trace::kTopCandidates);
    out.topProbability.resize(cells * trace::kTopCandidates);
    std::vector<Rows> estimates;
    std::vector<float> latent;
    for (int step = 0; step < spec.steps; ++step) {
        estimates.push_back(maker.estimate(step));
        maker.recordStep(step, estimates.back());
        for (const auto& row : estimates.back()) latent.insert(latent.end(), row.begin(), row.end());
    }
    out.blocks["latent"] = block({spec.steps, out.positions, spec.dims}, std::move(latent));
    std::vector<float> table, ids;
    for (std::size_t v = 0; v < maker.embeddings.size(); ++v) {
        table.insert(table.end(), maker.embeddings[v].begin(), maker.embeddings[v].end());
        ids.push_back(static_cast<float>(v));
    }
    out.blocks["vocab/latent"] = block({spec.vocabulary, spec.dims}, std::move(table));
    out.blocks["vocab/ids"] = block({spec.vocabulary}, std::move(ids));
    out.blocks["vocab/ids"].half = false;
    if (spec.curve) maker.recordCurve(estimates);
    out.meta = {{"family", spec.curve ? "sclm" : "difformer"},
                {"prompt", "and the light shineth in the darkness and the darkness has not overcome it"},
                {"seed", std::to_string(spec.seed)}};
    return out;
}

}  // namespace kurve::test
