#include <fmt/format.h>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "core/base/counted.h"
#include "core/train/position_dependence.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
using train::PositionDependence;

struct DependenceCommand {
    std::string run, checkpoint = "last", split = "valid";
    std::int64_t contexts = 100;
    train::Perturbation perturbation;
    int permutations = 20;
};

json scoreOf(std::span<const double> values) {
    const metrics::Score score = metrics::bootstrapMean(values);
    return {{"value", jsonNumber(score.value)}, {"ci95", {jsonNumber(score.low), jsonNumber(score.high)}}};
}

json networkJson(const PositionDependence& found) {
    return {{"matrix", found.matrix},
            {"off_diagonal", scoreOf(found.offDiagonal)},
            {"neighbours", scoreOf(found.neighbours)},
            {"permuted", scoreOf(found.permuted)}};
}

/// Context by context.
std::vector<double> minus(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> difference = a;
    for (std::size_t i = 0; i < b.size(); ++i) difference[i] -= b[i];
    return difference;
}

/// Without what names the run.
json documentOf(const DependenceCommand& command, std::uint64_t seed, const PositionDependence& trained,
                const PositionDependence& untrained) {
    const auto difference = [&](std::vector<double> PositionDependence::*part) {
        return scoreOf(minus(trained.*part, untrained.*part));
    };
    return {{"split", command.split},
            {"contexts", trained.offDiagonal.size()},
            {"positions", trained.matrix.size()},
            {"samples", command.perturbation.samples},
            {"dropout", command.perturbation.dropout},
            {"noise", command.perturbation.noise},
            {"permutations", command.permutations},
            {"seed", seed},
            {"trained", networkJson(trained)},
            {"untrained", networkJson(untrained)},
            {"difference",
             {{"off_diagonal", difference(&PositionDependence::offDiagonal)},
              {"neighbours", difference(&PositionDependence::neighbours)},
              {"permuted", difference(&PositionDependence::permuted)}}}};
}

/// Errors: dependence.one_token.
Status checkSeveral(const LoadedModel& loaded) {
    const auto refuse = [&](std::string what, std::string remedy) {
        return requestError("dependence.one_token", std::move(what))
            .in(loaded.run.folder.string())
            .at("run")
            .fix(std::move(remedy));
    };
    train::MultiTokenPrediction* const several = loaded.model->multiTokenPrediction();
    if (several == nullptr)
        return refuse(fmt::format("the family {} does not predict several tokens from one state",
                                  loaded.run.config.family()),
                      "choose a run of the family ngram");
    if (several->tokensPerState() < 2)
        return refuse("the run predicts one token from a state: there are no pairs",
                      "choose a run of two tokens or more");
    return {};
}

/// Errors: eval.no_split, dependence.no_context.
Result<std::vector<std::vector<std::int32_t>>> contextsOf(const LoadedModel& loaded,
                                                          const DependenceCommand& command,
                                                          std::uint64_t seed) {
    const text::Split& part = command.split == "test" ? loaded.data->test : loaded.data->valid;
    if (part.size() == 0)
        return requestError("eval.no_split", "the experiment has no " + command.split + " split")
            .at("--split");
    std::vector<std::vector<std::int32_t>> texts;
    for (std::size_t i = 0; i < part.size(); ++i) texts.push_back(part.target(i));
    const std::int64_t n = loaded.model->multiTokenPrediction()->tokensPerState();
    auto contexts = train::dependenceContexts(texts, static_cast<std::size_t>(command.contexts), n, seed);
    if (contexts.empty())
        return requestError("dependence.no_context",
                            fmt::format("no text of the split has {} tokens after its first", n))
            .at("--split")
            .fix("choose another split, or longer texts");
    return contexts;
}

std::string rowText(const char* label, const json& trained, const json& untrained, const json& difference) {
    const auto cell = [](const json& score, bool sign) {
        const auto number = [&](double value) {
            return sign ? fmt::format("{:+.4f}", value) : fmt::format("{:.4f}", value);
        };
        return fmt::format("{} [{}, {}]", number(score["value"]), number(score["ci95"][0]),
                           number(score["ci95"][1]));
    };
    return fmt::format("{:<20}{:<26}{:<26}{}\n", label, cell(trained, false), cell(untrained, false),
                       cell(difference, true));
}

std::string matrixText(const char* label, const std::vector<std::vector<double>>& matrix) {
    std::string text = fmt::format("{:<12}", label);
    for (std::size_t j = 0; j < matrix.size(); ++j) text += fmt::format("{:>8}", j + 1);
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        text += fmt::format("\n{:<12}", i + 1);
        for (const double value : matrix[i]) text += fmt::format("{:>8.4f}", value);
    }
    return text + "\n";
}

std::string textOf(const json& document, const PositionDependence& trained,
                   const PositionDependence& untrained) {
    const json &a = document["trained"], &b = document["untrained"], &d = document["difference"];
    std::string text =
        fmt::format("distance correlation between the logits of {} tokens predicted from one state\n",
                    trained.matrix.size());
    text += fmt::format("{} of {}, {} each: dropout {}, noise {}\n\n",
                        counted(trained.offDiagonal.size(), "context"), document["split"].get<std::string>(),
                        counted(document["samples"].get<std::int64_t>(), "perturbed state"),
                        document["dropout"].get<double>(), document["noise"].get<double>());
    text += fmt::format("{:<20}{:<26}{:<26}{}\n", "", "trained", "untrained", "difference");
    text += rowText("all pairs", a["off_diagonal"], b["off_diagonal"], d["off_diagonal"]);
    text += rowText("neighbours", a["neighbours"], b["neighbours"], d["neighbours"]);
    text += rowText("permuted pairs", a["permuted"], b["permuted"], d["permuted"]);
    text += "\n" + matrixText("trained", trained.matrix) + matrixText("untrained", untrained.matrix);
    return text + "an untrained network has high values too: only differences mean anything\n";
}

Status measure(const CommonOptions& common, const DependenceCommand& command, Output& out) {
    KURVE_TRY(const LoadedModel loaded,
              loadModel(common, {command.run, command.checkpoint, /*defaultSampler=*/false, /*data=*/true}));
    KURVE_CHECKED(checkSeveral(loaded));
    train::DependenceRequest request;
    request.perturbation = command.perturbation;
    request.perturbation.seed = loaded.seed(common);
    request.permutations = command.permutations;
    KURVE_TRY(request.contexts, contextsOf(loaded, command, request.perturbation.seed));
    KURVE_TRY(
        const auto initial,
        loaded.run.family->create(loaded.run.config, train::contextOf(loaded.tokenizers, loaded.run.config,
                                                                      loaded.device, loaded.resolver.get())));
    ProgressLine line(common.quiet || common.events);
    double before = 0;  // the other network's part
    request.progress = [&](double fraction) { line.show(before + fraction / 2, "measuring"); };
    KURVE_TRY(const PositionDependence trained,
              positionDependence(*loaded.model->multiTokenPrediction(), request));
    before = 0.5;
    KURVE_TRY(const PositionDependence untrained,
              positionDependence(*initial->multiTokenPrediction(), request));
    line.clear();
    json document = documentOf(command, request.perturbation.seed, trained, untrained);
    document["run"] = loaded.run.id;
    document.update(loaded.weights.document());
    out.result(document, textOf(document, trained, untrained));
    return {};
}

}  // namespace

Action setupDependence(CLI::App& app) {
    auto command = std::make_shared<DependenceCommand>();
    app.add_option("run", command->run, "run id or folder")->required();
    app.add_option("--checkpoint", command->checkpoint, kWeightsHelp);
    app.add_option("--split", command->split, "valid or test")->check(CLI::IsMember({"valid", "test"}));
    app.add_option("--contexts", command->contexts, "texts of the split, one context each")
        ->check(CLI::Range(1, 100000));
    app.add_option("--samples", command->perturbation.samples, "perturbed states of each context")
        ->check(CLI::Range(2, 10000));
    app.add_option("--dropout", command->perturbation.dropout, "fraction of the state that is zeroed")
        ->check(CLI::Range(0.0, 0.9));
    app.add_option("--noise", command->perturbation.noise,
                   "standard deviation of the Gaussian noise, relative to the state's root mean square")
        ->check(CLI::Range(0.0, 10.0));
    app.add_option("--permutations", command->permutations, "random orders of the baseline")
        ->check(CLI::Range(1, 10000));
    return [command](const CommonOptions& common, Output& out) { return measure(common, *command, out); };
}

}  // namespace kurve::engine
