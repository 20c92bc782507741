#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "core/base/random_stream.h"
#include "core/sampling/unmasking.h"

/// A joint distribution of three tokens that is small enough to be enumerated: the exact denoiser by which
/// the rules of masked samplers are proved.
namespace kurve::test {

constexpr int kLength = 3, kVocabulary = 3, kMask = 3;

using State = std::array<int, kLength>;  ///< a token or kMask
using Weights = std::map<State, double>;
using Distribution = std::array<double, kVocabulary>;

constexpr State kAllMasked{kMask, kMask, kMask};

inline int at(const State& state, int position) {
    return state[static_cast<std::size_t>(position)];
}

inline State with(State state, int position, int token) {
    state[static_cast<std::size_t>(position)] = token;
    return state;
}

inline std::vector<int> maskedPositions(const State& state) {
    std::vector<int> result;
    for (int i = 0; i < kLength; ++i)
        if (at(state, i) == kMask) result.push_back(i);
    return result;
}

inline double sum(const Weights& weights) {
    double total = 0;
    for (const auto& [state, weight] : weights) total += weight;
    return total;
}

/// Half the L1 distance.
inline double totalVariation(const Weights& a, const Weights& b) {
    Weights difference = a;
    for (const auto& [state, weight] : b) difference[state] -= weight;
    double total = 0;
    for (const auto& [state, weight] : difference) total += std::abs(weight) / 2;
    return total;
}

class ToyLaw {
public:
    /// Weights in proportion; every one of the 27 sentences.
    explicit ToyLaw(const std::function<double(const State&)>& weight) {
        for (int a = 0; a < kVocabulary; ++a)
            for (int b = 0; b < kVocabulary; ++b)
                for (int c = 0; c < kVocabulary; ++c) joint_[{a, b, c}] = weight({a, b, c});
        const double total = sum(joint_);
        for (auto& [state, probability] : joint_) probability /= total;
    }

    /// No two positions are independent, given the third or not.
    static ToyLaw dependent() {
        return ToyLaw([](const State& x) {
            const auto [a, b, c] = x;
            return 1.0 + (a == b ? 6.0 : 0.0) + (b == c ? 3.0 : 0.0) + (a + c == 2 ? 4.0 : 0.0) + a * b * c +
                   0.5 * b;
        });
    }
    static ToyLaw independent() {
        constexpr std::array<Distribution, kLength> kRows{{{.2, .3, .5}, {.7, .2, .1}, {.3, .3, .4}}};
        return ToyLaw([&](const State& x) {
            double product = 1;
            for (std::size_t i = 0; i < kRows.size(); ++i)
                product *= kRows[i][static_cast<std::size_t>(x[i])];
            return product;
        });
    }

    [[nodiscard]] const Weights& joint() const { return joint_; }

    /// p(x_position | the tokens of `state` that are not masked), by summing all sentences that agree with
    /// them.
    [[nodiscard]] Distribution conditional(const State& state, int position) const {
        Distribution result{};
        for (const auto& [sentence, probability] : joint_) {
            bool agrees = true;
            for (std::size_t i = 0; i < state.size(); ++i)
                agrees = agrees && (state[i] == kMask || state[i] == sentence[i]);
            if (agrees) result[static_cast<std::size_t>(at(sentence, position))] += probability;
        }
        double total = 0;
        for (const double mass : result) total += mass;
        for (double& mass : result) mass /= total;
        return result;
    }

    [[nodiscard]] sampling::Certainty certainty(const State& state, int position) const {
        Distribution p = conditional(state, position);
        double entropy = 0;
        for (const double mass : p) entropy -= mass * std::log(mass);
        std::sort(p.begin(), p.end(), std::greater<>());
        return {static_cast<float>(p[0]), static_cast<float>(p[0] - p[1]), static_cast<float>(entropy)};
    }
    [[nodiscard]] std::vector<sampling::Certainty> certainties(const State& state) const {
        std::vector<sampling::Certainty> result;
        for (const int position : maskedPositions(state)) result.push_back(certainty(state, position));
        return result;
    }

    [[nodiscard]] int draw(const State& state, int position, RandomStream& stream) const {
        const Distribution p = conditional(state, position);
        const double u = stream.uniform();
        return u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2;
    }

private:
    Weights joint_;
};

/// Adds to `out` what comes of unmasking `positions` at once, each from its conditional given `state`.
inline void unmask(const ToyLaw& law, const State& state, std::span<const int> positions, double weight,
                   Weights& out) {
    Weights current{{state, weight}};
    for (const int position : positions) {
        const Distribution p = law.conditional(state, position);
        Weights next;
        for (const auto& [partial, mass] : current)
            for (int token = 0; token < kVocabulary; ++token)
                next[with(partial, position, token)] += mass * p[static_cast<std::size_t>(token)];
        current = std::move(next);
    }
    for (const auto& [result, mass] : current) out[result] += mass;
}

/// From a state with masks, the indices in maskedPositions() that a step unmasks.
using Rule = std::function<std::vector<int>(const State&)>;

inline std::vector<int> chosen(const Rule& rule, const State& state) {
    const std::vector<int> masked = maskedPositions(state);
    std::vector<int> positions;
    for (const int index : rule(state)) positions.push_back(masked[static_cast<std::size_t>(index)]);
    return positions;
}

/// The exact distribution of complete sentences that a rule leads to.
inline Weights lawOf(const ToyLaw& law, const Rule& rule) {
    Weights open{{kAllMasked, 1.0}}, complete;
    while (!open.empty()) {
        Weights next;
        for (const auto& [state, weight] : open) unmask(law, state, chosen(rule, state), weight, next);
        open.clear();
        for (const auto& [state, weight] : next)
            (maskedPositions(state).empty() ? complete : open)[state] += weight;
    }
    return complete;
}

/// Per-cell four standard errors, and chi-square four standard deviations, of `draws` sentences.
inline void expectDraws(const Weights& counts, const Weights& expected) {
    const double draws = sum(counts);
    double chiSquare = 0;
    for (const auto& [state, p] : expected) {
        const auto found = counts.find(state);
        const double count = found == counts.end() ? 0 : found->second, variance = draws * p * (1 - p);
        EXPECT_LT(std::abs(count - draws * p), 4 * std::sqrt(variance))
            << at(state, 0) << at(state, 1) << at(state, 2);
        chiSquare += (count - draws * p) * (count - draws * p) / (draws * p);
    }
    const auto freedom = static_cast<double>(expected.size() - 1);
    EXPECT_LT(chiSquare, freedom + 4 * std::sqrt(2 * freedom));
}

}  // namespace kurve::test
