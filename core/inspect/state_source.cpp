#include "core/inspect/state_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/inspect/token_text.h"
#include "core/trace/marks.h"

namespace kurve::inspect {

using metrics::SimilarityMatrix;

namespace {

bool isState(const std::string& block) {
    static const std::set<std::string> kWhole{"latent", "noisy", "curve", "features", "logits"};
    return kWhole.contains(block) || block.starts_with("condition/") || block.starts_with("hidden/");
}

bool crossesOver(const std::string& block) {
    return block.starts_with("cross_attention/") || block.starts_with("condition_cross_attention/");
}

std::vector<std::string> sourceTokensOf(const trace::Trace& trace) {
    std::vector<std::string> tokens;
    const auto json = nlohmann::json::parse(trace.metaText("source_tokens"), nullptr, false);
    if (!json.is_array()) return tokens;
    for (const auto& token : json)
        tokens.push_back(shownText(tokenText(token.is_string() ? token.get<std::string>() : std::string())));
    return tokens;
}

std::string titleOf(const std::string& block) {
    static const std::map<std::string, std::string> kWhole{{"condition/0", "source input"},
                                                           {"latent", "estimate"},
                                                           {"noisy", "noisy input"},
                                                           {"curve", "control points"}};
    static const std::map<std::string, std::string> kNumbered{
        {"hidden", "layer"},
        {"attention", "attention"},
        {"condition", "source layer"},
        {"cross_attention", "text reads source"},
        {"condition_cross_attention", "source reads text"}};
    if (const auto whole = kWhole.find(block); whole != kWhole.end()) return whole->second;
    const auto slash = block.find('/');
    const auto numbered = slash == block.npos ? kNumbered.end() : kNumbered.find(block.substr(0, slash));
    if (numbered == kNumbered.end()) return block;
    std::string number = block.substr(slash + 1);
    // After so many layers; "hidden/k" is the output of layer k.
    if (numbered->first == "condition") number = std::to_string(std::atoi(number.c_str()) - 1);
    return numbered->second + " " + number;
}

/// From the input to the output, as a network computes it.
int rank(const std::string& block) {
    if (block == "noisy") return 0;
    if (block.rfind("hidden/", 0) == 0) return 1;
    if (block == "curve") return 2;
    if (block == "latent" || block == "features") return 3;
    if (block == "logits") return 4;
    return 5;
}

metrics::SimilarityMeasure measureOf(MatrixKind kind) {
    if (kind == MatrixKind::CentredCosine) return metrics::SimilarityMeasure::CentredCosine;
    if (kind == MatrixKind::Dot) return metrics::SimilarityMeasure::Dot;
    return metrics::SimilarityMeasure::Cosine;
}

/// Rows and columns of a square, row-major.
std::vector<float> among(std::span<const float> values, int n, const std::vector<int>& rows) {
    std::vector<float> out;
    out.reserve(rows.size() * rows.size());
    for (const int row : rows)
        for (const int column : rows)
            out.push_back(values[static_cast<std::size_t>(row) * static_cast<std::size_t>(n) +
                                 static_cast<std::size_t>(column)]);
    return out;
}

std::vector<int> everyRow(int rows) {
    std::vector<int> all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

}  // namespace

bool comparesRows(MatrixKind kind) {
    return kind != MatrixKind::LayerAlignment && kind != MatrixKind::BetweenSteps;
}

std::string matrixKindName(MatrixKind kind) {
    switch (kind) {
        case MatrixKind::Cosine:
            return "Cosine";
        case MatrixKind::CentredCosine:
            return "Centred cosine";
        case MatrixKind::Dot:
            return "Dot product";
        case MatrixKind::LayerAlignment:
            return "CKA between layers";
        case MatrixKind::BetweenSteps:
            break;
    }
    return "Cosine between steps";
}

StateSource::StateSource(std::shared_ptr<const trace::Trace> trace, std::string title, int head)
    : trace_(std::move(trace)),
      title_(std::move(title)),
      sourceTokens_(sourceTokensOf(*trace_)),
      head_(head) {
    std::vector<std::string> names;
    for (const auto& [name, block] : trace_->blocks) {
        const bool attention = name.starts_with("attention/") || crossesOver(name);
        const bool shaped = block.shape.size() == (attention ? 4U : 3U) && block.shape[0] == trace_->steps;
        if (shaped && (isState(name) || attention)) names.push_back(name);
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    for (const auto& name : names) {
        const auto& shape = trace_->blocks.at(name).shape;
        const bool attention = shape.size() == 4;
        layers_.push_back({name, titleOf(name), static_cast<int>(shape[attention ? 2 : 1]),
                           static_cast<int>(shape.back()), attention,
                           attention ? static_cast<int>(shape[1]) : 0, name.starts_with("condition"),
                           crossesOver(name)});
    }
    for (int step = 0; step < trace_->steps; ++step)
        for (int position = 0; position < trace_->positions; ++position)
            anyMasked_ = anyMasked_ || trace::foundMasked(*trace_, step, position);
}

bool StateSource::hasHidden() const {
    return std::any_of(layers_.begin(), layers_.end(),
                       [](const auto& layer) { return layer.block.starts_with("hidden/"); });
}

int StateSource::heads() const {
    int most = 0;
    for (const StateLayer& layer : layers_) most = std::max(most, layer.heads);
    return most;
}

std::string StateSource::attentionName(int layer) const {
    const StateLayer& what = layers_[static_cast<std::size_t>(layer)];
    const std::string name = what.crosses ? "Cross-attention" : "Attention";
    return head_ >= 0 && head_ < what.heads ? fmt::format("{}, head {}", name, head_ + 1)
                                            : name + ", mean of the heads";
}

SimilarityMatrix StateSource::attention(int layer, int step) const {
    const StateLayer& what = layers_[static_cast<std::size_t>(layer)];
    const std::span<const float> weights = states(layer, step);
    const auto area = static_cast<std::size_t>(what.rows) * static_cast<std::size_t>(what.width);
    const bool one = head_ >= 0 && head_ < what.heads;
    const auto from = static_cast<std::size_t>(one ? head_ : 0), to = one ? from + 1 : weights.size() / area;
    SimilarityMatrix mean{what.rows, std::vector<float>(area)};
    for (std::size_t h = from; h < to; ++h)
        for (std::size_t i = 0; i < area; ++i)
            mean.values[i] += weights[h * area + i] / static_cast<float>(to - from);
    return mean;
}

std::span<const float> StateSource::states(int layer, int step) const {
    const auto& block = trace_->blocks.at(layers_[static_cast<std::size_t>(layer)].block);
    const std::size_t size = block.data.size() / static_cast<std::size_t>(trace_->steps);
    return {block.data.data() + static_cast<std::size_t>(step) * size, size};
}

bool StateSource::rowPerPosition(int layer) const {
    const StateLayer& what = layers_[static_cast<std::size_t>(layer)];
    return !what.source && what.rows == trace_->positions;
}

std::vector<std::string> StateSource::sideLabels(bool source, int count, int step) const {
    if (source && std::ssize(sourceTokens_) == count) return sourceTokens_;
    std::vector<std::string> names;
    for (int row = 0; row < count; ++row) {
        if (source || count != trace_->positions) {
            names.push_back(fmt::format("{}{}", source ? 's' : 'c', row + 1));
            continue;
        }
        const std::string& text = trace_->textOf(trace_->tokenAt(step, row));
        names.push_back(text.empty() ? std::to_string(row) : shownText(tokenText(text)));
    }
    return names;
}

std::vector<std::string> StateSource::labels(int layer, int step) const {
    const StateLayer& what = layers_[static_cast<std::size_t>(layer)];
    return sideLabels(what.source, what.rows, step);
}

std::vector<std::string> StateSource::columnLabels(int layer, int step) const {
    const StateLayer& what = layers_[static_cast<std::size_t>(layer)];
    return what.crosses ? sideLabels(!what.source, what.width, step) : labels(layer, step);
}

std::vector<bool> StateSource::repeated(int layer, int step) const {
    const int rows = layers_[static_cast<std::size_t>(layer)].rows;
    std::vector<bool> again(static_cast<std::size_t>(rows));
    if (!rowPerPosition(layer) || trace_->tokens.empty()) return again;
    std::map<std::uint32_t, int> counts;
    for (int row = 0; row < rows; ++row) ++counts[trace_->tokenAt(step, row)];
    for (int row = 0; row < rows; ++row)
        again[static_cast<std::size_t>(row)] = counts[trace_->tokenAt(step, row)] > 1;
    return again;
}

std::vector<int> StateSource::alignable(int layer) const {
    const StateLayer& what = layers_[static_cast<std::size_t>(layer)];
    std::vector<int> found;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const StateLayer& other = layers_[i];
        const bool alike = what.crosses ? other.crosses && other.width == what.width : !other.attention;
        if (alike && other.rows == what.rows && other.source == what.source)
            found.push_back(static_cast<int>(i));
    }
    return found;
}

std::vector<int> StateSource::unmasked(int layer, int step) const {
    const StateLayer& what = layers_[static_cast<std::size_t>(layer)];
    std::vector<int> rowsLeft = everyRow(what.rows);
    if (rowPerPosition(layer) && anyMasked_ && !what.crosses)
        std::erase_if(rowsLeft, [&](int position) { return trace::foundMasked(*trace_, step, position); });
    return rowsLeft;
}

std::vector<int> StateSource::withoutPadding(int layer, int step, std::vector<int> rows) const {
    if (rowPerPosition(layer))
        std::erase_if(
            rows, [&](int position) { return trace_->stateAt(step, position) == trace::TokenState::Pad; });
    return rows;
}

std::vector<float> StateSource::statesOf(int layer, int step, const std::vector<int>& rows) const {
    const auto all = states(layer, step);
    const std::size_t width =
        all.size() / static_cast<std::size_t>(layers_[static_cast<std::size_t>(layer)].rows);
    std::vector<float> out;
    out.reserve(rows.size() * width);
    for (const int row : rows) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * width);
        out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
    return out;
}

SimilarityMatrix StateSource::matrix(int layer, int step, MatrixKind kind) const {
    return matrix(layer, step, kind, everyRow(layers_[static_cast<std::size_t>(layer)].rows));
}

SimilarityMatrix StateSource::matrix(int layer, int step, MatrixKind kind,
                                     const std::vector<int>& rows) const {
    const auto& what = layers_[static_cast<std::size_t>(layer)];
    const int n = static_cast<int>(rows.size());
    const bool all = n == what.rows;
    if (what.attention) {
        SimilarityMatrix mean = attention(layer, step);
        return all ? mean : SimilarityMatrix{n, among(mean.values, mean.n, rows)};
    }
    if (kind == MatrixKind::LayerAlignment)
        return betweenLayers(layer, step, withoutPadding(layer, step, rows));
    if (kind == MatrixKind::BetweenSteps)
        return betweenSteps(layer, withoutPadding(layer, steps() - 1, rows));
    return all ? metrics::similarity(states(layer, step), n, measureOf(kind))
               : metrics::similarity(statesOf(layer, step, rows), n, measureOf(kind));
}

SimilarityMatrix StateSource::betweenLayers(int layer, int step, const std::vector<int>& rows) const {
    const int n = static_cast<int>(rows.size());
    const auto others = alignable(layer);
    std::vector<std::vector<float>> sets;
    for (const int other : others) sets.push_back(statesOf(other, step, rows));
    SimilarityMatrix matrix{static_cast<int>(others.size()), {}};
    for (const auto& a : sets)
        for (const auto& b : sets)
            matrix.values.push_back(n > 0 ? static_cast<float>(metrics::centredKernelAlignment(a, b, n))
                                          : NAN);
    return matrix;
}

SimilarityMatrix StateSource::betweenSteps(int layer, const std::vector<int>& rows) const {
    SimilarityMatrix mean{
        steps(), std::vector<float>(static_cast<std::size_t>(steps()) * static_cast<std::size_t>(steps()),
                                    rows.empty() ? NAN : 0.0F)};
    for (const int row : rows) {
        std::vector<float> through;  // that row's states, a step each
        for (int step = 0; step < steps(); ++step) {
            const auto state = statesOf(layer, step, {row});
            through.insert(through.end(), state.begin(), state.end());
        }
        const auto own = metrics::similarity(through, steps(), metrics::SimilarityMeasure::Cosine);
        for (std::size_t i = 0; i < own.values.size(); ++i)
            mean.values[i] += own.values[i] / static_cast<float>(rows.size());
    }
    return mean;
}

float StateSource::pair(int layer, int step, MatrixKind kind, int row, int column) const {
    const auto& what = layers_[static_cast<std::size_t>(layer)];
    if (what.attention) return attention(layer, step).at(row, column);
    return metrics::similarityOf(states(layer, step), what.rows, {row, column}, measureOf(kind));
}

double captureBytes(const trace::Trace& trace, const std::string& config) {
    const auto number = [&](const char* key) {
        const auto at = config.find(key);
        return at == config.npos ? 0.0 : std::atof(config.c_str() + config.find('=', at) + 1);
    };
    const double hidden = number("\nhidden ="), layers = number("decoder_layers ="),
                 heads = number("\nheads =");
    if (hidden <= 0 || layers <= 0) return 0;
    const auto* curve = trace.block("curve");
    const double rows = curve != nullptr ? static_cast<double>(curve->shape[1]) : trace.positions;
    const double logits = static_cast<double>(trace.positions) * std::max(number("\nlatent ="), 0.0),
                 columns = rows + static_cast<double>(sourceTokensOf(trace).size());
    return 2.0 * trace.steps * (layers * rows * (hidden + std::max(1.0, heads) * columns) + logits);
}

std::string MatrixCell::title() const {
    return fmt::format("{} · {} · step {}", source->title(),
                       source->layers()[static_cast<std::size_t>(layer)].title, step + 1);
}

SimilarityMatrix differenceOf(const SimilarityMatrix& a, const SimilarityMatrix& b) {
    if (a.n != b.n || a.columns() != b.columns()) return {};
    SimilarityMatrix difference = a;
    for (std::size_t i = 0; i < a.values.size(); ++i) difference.values[i] -= b.values[i];
    return difference;
}

SimilarityMatrix expanded(const SimilarityMatrix& matrix, const std::vector<int>& rows, int n) {
    if (static_cast<int>(rows.size()) == n) return matrix;
    const auto width = static_cast<std::size_t>(n);
    SimilarityMatrix out{n, std::vector<float>(width * width, NAN)};
    for (int i = 0; i < matrix.n; ++i)
        for (int j = 0; j < matrix.n; ++j)
            out.values[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]) * width +
                       static_cast<std::size_t>(rows[static_cast<std::size_t>(j)])] = matrix.at(i, j);
    return out;
}

double robustScale(const SimilarityMatrix& matrix, bool ofStates) {
    std::vector<float> sizes;
    for (int i = 0; i < matrix.n; ++i)
        for (int j = 0; j < matrix.columns(); ++j)
            if ((i != j || !ofStates) && std::isfinite(matrix.at(i, j)))
                sizes.push_back(std::abs(matrix.at(i, j)));
    if (sizes.empty()) return 1;
    const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), at, sizes.end());
    return *at > 0 ? *at : 1;
}

SimilarityMatrix ordered(const SimilarityMatrix& matrix, const std::vector<int>& order) {
    SimilarityMatrix other{matrix.n, {}};
    other.values.reserve(matrix.values.size());
    for (const int row : order)
        for (const int column : order) other.values.push_back(matrix.at(row, column));
    return other;
}

}  // namespace kurve::inspect
