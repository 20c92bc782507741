#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "core/base/counted.h"
#include "core/base/random_stream.h"
#include "core/base/text.h"
#include "core/sampling/temperature.h"
#include "core/sampling/temperature_law.h"

// Sampling algorithms on distributions that are known: what they give, in closed form and by drawing.
namespace kurve::engine {
namespace {

using nlohmann::json;
using sampling::Outcome;

/// Calls that a simulation may make: about a minute.
constexpr double kMostLawCalls = 1e9;

struct LawRequest {
    std::string probabilities, temperature;
    std::int64_t draws = 0, maxCalls = 1'000'000, samples = 0;
};

std::optional<double> parseDecimal(std::string_view text) {
    text = trim(text);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// A number, or two with a slash between: 1/3.
std::optional<double> parseQuotient(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == text.npos) return parseDecimal(text);
    const auto above = parseDecimal(text.substr(0, slash)), below = parseDecimal(text.substr(slash + 1));
    if (!above || !below || *below == 0) return std::nullopt;
    return *above / *below;
}

/// Errors: law.number.
Result<double> numberOf(const std::string& text, const char* option) {
    if (const auto value = parseQuotient(text)) return *value;
    return requestError("law.number", fmt::format("“{}” is not a number", text))
        .at(option)
        .fix("write numbers like 0.25 or 1/4");
}

/// Errors: law.number.
Result<std::vector<double>> probabilitiesOf(const LawRequest& request) {
    std::vector<double> all;
    for (const std::string& part : split(request.probabilities, ',')) {
        KURVE_TRY(const double p, numberOf(part, "probabilities"));
        all.push_back(p);
    }
    return all;
}

/// Draws outcomes 0, 1, … with their probabilities.
class KnownSource {
public:
    KnownSource(std::span<const double> probabilities, std::uint64_t seed) : stream_(seed, "law.draws") {
        for (const double p : probabilities) sums_.push_back((sums_.empty() ? 0 : sums_.back()) + p);
    }
    std::vector<Outcome> operator()(std::int64_t count) {
        std::vector<Outcome> draws;
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at =
                std::upper_bound(sums_.begin(), sums_.end() - 1, stream_.uniform() * sums_.back());
            draws.push_back({static_cast<std::int32_t>(at - sums_.begin())});
        }
        return draws;
    }

private:
    std::vector<double> sums_;
    RandomStream stream_;
};

/// Refuses simulations without an end. Errors: law.too_long.
Status checkCalls(const LawRequest& request, double callsPerDraw) {
    const double calls = static_cast<double>(request.draws) * callsPerDraw;
    if (calls <= kMostLawCalls) return {};
    return requestError("law.too_long", fmt::format("{} would take about {:.2g} calls",
                                                    counted(request.draws, "draw"), calls))
        .at("draws")
        .fix(fmt::format("give at most {:.0f}", std::floor(kMostLawCalls / callsPerDraw)));
}

/// How often each outcome came out.
class LawTally {
public:
    explicit LawTally(std::size_t outcomes) : counts_(outcomes) {}
    void add(const Outcome& outcome) {
        ++counts_[static_cast<std::size_t>(outcome.front())];
        ++total_;
    }
    /// Nothing came out: nulls.
    [[nodiscard]] json shares() const {
        json all = json::array();
        for (const double count : counts_) all.push_back(total_ > 0 ? json(count / total_) : json());
        return all;
    }

private:
    std::vector<double> counts_;
    double total_ = 0;
};

std::uint64_t seedOf(const CommonOptions& common) {
    return common.seed.value_or(1);
}

struct ExactSimulation {
    json shares;
    double meanCalls = 0, exhausted = 0;
};

ExactSimulation simulateExact(const LawRequest& request, std::span<const double> p,
                              const sampling::Exponent& exponent, std::uint64_t seed) {
    const sampling::DrawMany source = KnownSource(p, seed);
    RandomStream stream(seed, "law.choices");
    LawTally tally(p.size());
    double calls = 0, exhausted = 0;
    for (std::int64_t i = 0; i < request.draws; ++i) {
        const auto drawn = sampling::drawExact(source, exponent, {request.maxCalls, 1}, stream);
        calls += static_cast<double>(drawn.calls);
        exhausted += drawn.exhausted ? 1 : 0;
        if (drawn.outcome) tally.add(*drawn.outcome);
    }
    const auto draws = static_cast<double>(request.draws);
    return {tally.shares(), calls / draws, exhausted / draws};
}

/// A line for each outcome; a column for each name that the document has.
std::string lawTable(const json& document, std::span<const std::pair<const char*, const char*>> columns) {
    std::string text = fmt::format("{:>8}", "outcome");
    for (const auto& [key, title] : columns)
        if (document.contains(key)) text += fmt::format("{:>14}", title);
    for (std::size_t i = 0; i < document["probabilities"].size(); ++i) {
        text += fmt::format("\n{:>8}", i + 1);
        for (const auto& [key, title] : columns) {
            if (!document.contains(key)) continue;
            const json& value = document[key][i];
            text +=
                value.is_null() ? fmt::format("{:>14}", "-") : fmt::format("{:>14.6g}", value.get<double>());
        }
    }
    return text + "\n";
}

std::string exactText(const json& document) {
    constexpr std::array<std::pair<const char*, const char*>, 3> kColumns{
        {{"probabilities", "probability"}, {"target", "target"}, {"empirical", "drawn"}}};
    const auto number = [&](const char* key) { return document[key].get<double>(); };
    std::string text = fmt::format("temperature {:.6g}: rounds of {}", number("temperature"),
                                   counted(document["n"].get<std::int64_t>(), "draw"));
    if (number("fraction") > 0) text += fmt::format(", of equal ones p^{:.4g} accepted", number("fraction"));
    text += "\n";
    text += lawTable(document, kColumns);
    const json& expected = document["expected_calls"];  // a text where it is infinite
    text +=
        fmt::format("calls per draw: {}", expected.is_number() ? fmt::format("{:.6g}", expected.get<double>())
                                                               : expected.get<std::string>());
    if (document.contains("mean_calls")) text += fmt::format(", drawn: {:.6g}", number("mean_calls"));
    if (document.contains("exhausted") && number("exhausted") > 0)
        text +=
            fmt::format("\n{:.3g} % of the draws spent their --max-calls: what came out is not the target",
                        100 * number("exhausted"));
    return text + "\n";
}

Status showExact(const LawRequest& request, const CommonOptions& common, Output& out) {
    KURVE_TRY(const double temperature, numberOf(request.temperature, "temperature"));
    KURVE_TRY(const std::vector<double> p, probabilitiesOf(request));
    KURVE_TRY(const sampling::ExactLaw law, sampling::exactLaw(p, temperature));
    KURVE_TRY(const sampling::Exponent exponent, sampling::exponentOf(temperature));
    json document{{"probabilities", p},           {"temperature", temperature},
                  {"n", exponent.whole},          {"fraction", exponent.fraction},
                  {"target", law.target},         {"stage_one", law.stageOne},
                  {"normaliser", law.normaliser}, {"expected_calls", jsonNumber(law.expectedCalls)}};
    if (request.draws > 0) {
        KURVE_CHECKED(
            checkCalls(request, std::min(law.expectedCalls, static_cast<double>(request.maxCalls))));
        const ExactSimulation found = simulateExact(request, p, exponent, seedOf(common));
        document["empirical"] = found.shares;
        document["mean_calls"] = found.meanCalls;
        document["exhausted"] = found.exhausted;
    }
    out.result(document, exactText(document));
    return {};
}

json simulateBatch(const LawRequest& request, std::span<const double> p, std::int64_t n, std::uint64_t seed) {
    KnownSource source(p, seed);
    RandomStream stream(seed, "law.choices");
    LawTally tally(p.size());
    for (std::int64_t i = 0; i < request.draws; ++i)
        tally.add(sampling::drawBatch(source(request.samples), n, stream).outcome);
    return tally.shares();
}

std::string batchText(const json& document) {
    constexpr std::array<std::pair<const char*, const char*>, 4> kColumns{{{"probabilities", "probability"},
                                                                           {"target", "target"},
                                                                           {"distribution", "distribution"},
                                                                           {"empirical", "drawn"}}};
    const auto number = [&](const char* key) { return document[key].get<double>(); };
    std::string text = fmt::format("temperature 1/{} by {}\n", document["n"].get<std::int64_t>(),
                                   counted(document["samples"].get<std::int64_t>(), "sample"));
    text += lawTable(document, kColumns);
    return text + fmt::format("falls back to fewer copies: {:.4g} %; accuracy {:.6g}, collision {:.6g}\n",
                              100 * number("fallback_fraction"), number("accuracy"), number("collision"));
}

Status showBatch(const LawRequest& request, const CommonOptions& common, Output& out) {
    KURVE_TRY(const double temperature, numberOf(request.temperature, "temperature"));
    KURVE_TRY(const std::int64_t n, sampling::reciprocal(temperature));
    KURVE_TRY(const std::vector<double> p, probabilitiesOf(request));
    KURVE_TRY(const sampling::BatchLaw law, sampling::batchLaw(p, n, request.samples));
    KURVE_TRY(const sampling::ExactLaw exact, sampling::exactLaw(p, temperature));
    json document{{"probabilities", p},
                  {"temperature", temperature},
                  {"n", n},
                  {"samples", request.samples},
                  {"target", exact.target},
                  {"distribution", law.law},
                  {"chosen_by", law.chosenBy},
                  {"fallback_fraction", law.fallback},
                  {"accuracy", law.accuracy},
                  {"collision", law.collision}};
    if (request.draws > 0) {
        KURVE_CHECKED(checkCalls(request, static_cast<double>(request.samples)));
        document["empirical"] = simulateBatch(request, p, n, seedOf(common));
    }
    out.result(document, batchText(document));
    return {};
}

void addLawOptions(CLI::App& app, LawRequest& request, const char* temperature) {
    app.add_option("--probabilities", request.probabilities, "of the outcomes; above 0, their sum is 1")
        ->required()
        ->type_name("P,P,…");
    app.add_option("--temperature", request.temperature, temperature)->required()->type_name("T");
    app.add_option("--draws", request.draws, "also draw so often and compare (default: only the closed form)")
        ->check(CLI::Range(1, 1'000'000'000));
}

Action setupTemperatureExact(CLI::App& app) {
    auto request = std::make_shared<LawRequest>();
    addLawOptions(app, *request, "T above 0, at most 1; also as 1/3");
    app.add_option("--max-calls", request->maxCalls, "calls after which a draw ends without an outcome")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
    return [request](const CommonOptions& common, Output& out) { return showExact(*request, common, out); };
}

Action setupTemperatureBatch(CLI::App& app) {
    auto request = std::make_shared<LawRequest>();
    addLawOptions(app, *request, "1/n: 1, 1/2, 1/3, …");
    app.add_option("--samples", request->samples, "samples N in the batch of one draw")
        ->required()
        ->check(CLI::Range(1, 1'000'000));
    return [request](const CommonOptions& common, Output& out) { return showBatch(*request, common, out); };
}

}  // namespace

Action setupLaw(CLI::App& app) {
    app.require_subcommand(1);
    std::vector<std::pair<CLI::App*, Action>> actions;
    const auto add = [&](const char* name, const char* summary, Action (*setup)(CLI::App&)) {
        CLI::App* sub = app.add_subcommand(name, summary);
        sub->fallthrough();  // --json and the other common options are the parent's
        actions.emplace_back(sub, setup(*sub));
    };
    add("temperature-exact", "temperature by comparing draws, exact: CALM's Algorithm 1",
        setupTemperatureExact);
    add("temperature-batch", "temperature 1/n by counting one batch of draws: CALM's Algorithm 2",
        setupTemperatureBatch);
    return [actions](const CommonOptions& common, Output& out) -> Status {
        for (const auto& [sub, action] : actions)
            if (sub->parsed()) return action(common, out);
        return {};
    };
}

}  // namespace kurve::engine
