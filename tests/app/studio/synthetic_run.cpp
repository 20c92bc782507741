#include "tests/app/studio/synthetic_run.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/random_stream.h"
#include "core/base/text.h"
#include "core/config/run_config.h"

namespace kurve::testing {

Schema syntheticSchema() {
    Schema schema;
    schema.family = "toy";
    schema.title = "Toy";
    schema.paper = "a family for tests";
    schema.fields = {
        integerField("seed", 1, "seed of every random draw").atLeast(0),
        textField("data.train", "data/train.tsv", "pairs to train on"),
        integerField("data.max_length", 48, "longest side in tokens").range(4, 512).unit("tokens"),
        integerField("model.hidden", 128, "width of the hidden states")
            .range(8, 8192)
            .unit("dims")
            .from("Difformer's code"),
        integerField("model.layers", 2, "layers of each half").range(1, 48).from("Difformer's code"),
        realField("model.dropout", 0.1, "fraction of activations dropped").range(0, 0.9),
        choiceField("model.kind", "spline", {"spline", "repeat", "identity"},
                    "how words become control points")
            .from("SCLM, section 5"),
        realField("train.lr", 1e-3, "peak learning rate").range(0, 1).changeableLive(),
        integerField("train.steps", 4000, "optimizer steps of the whole run").atLeast(1).unit("steps"),
        integerField("train.warmup_steps", 100, "steps of linear warm-up").atLeast(0).unit("steps"),
        flagField("train.clip_on", true, "clip the gradient"),
        realField("train.seconds", 0, "time of the whole run").atLeast(0).unit("s").reportingOnly(),
        integerField("eval.every_steps", 400, "steps between evaluations")
            .atLeast(1)
            .unit("steps")
            .reportingOnly()
            .changeableLive(),
        integerField("eval.samples", 100, "validation pairs that are decoded and scored").atLeast(0),
        integerField("sampler.steps", 10, "reverse steps").range(1, 2000).unit("steps"),
        integerField("sampler.noise_beam", 1, "noise draws that are tried for each length").range(1, 64),
    };
    schema.presets = {{"small", "half as wide", {{"model.hidden", std::int64_t{64}}}}};
    return schema;
}

std::string syntheticDescription() {
    const nlohmann::json metrics = {
        {{"id", "loss"},
         {"title", "Loss"},
         {"unit", ""},
         {"better", "lower"},
         {"doc", "what is minimised"},
         {"log_scale", true}},
        {{"id", "valid_bleu"},
         {"title", "Validation BLEU"},
         {"unit", ""},
         {"better", "higher"},
         {"doc", "of sampled outputs"},
         {"log_scale", false}},
    };
    return nlohmann::json{{"families", {toJson(syntheticSchema())}},
                          {"schedules", nlohmann::json::array()},
                          {"metrics", metrics},
                          {"devices", {{{"id", "cpu"}, {"title", "a processor"}}}}}
        .dump(1);
}

void writeSyntheticProject(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder / "experiments");
    std::filesystem::create_directories(folder / "data");
    std::filesystem::create_directories(folder / "runs");
    std::ofstream(folder / "project.toml") << "name = \"Synthetic\"\ndefault_experiment = \"toy\"\n";
    std::ofstream(folder / "experiments" / "toy.toml")
        << "family = \"toy\"\nname = \"toy\"\n\n[train]\nsteps = 2000\nlr = 2e-3\n";
    std::ofstream(folder / "experiments" / "wide.toml")
        << "family = \"toy\"\nname = \"wide\"\n\n[model]\nhidden = 512\n";
    std::ofstream(folder / "data" / "train.tsv") << "a b c\tA b c.\n";
}

void logPoint(store::RunWriter& writer, std::int64_t step, std::int64_t total, double wall, double seed) {
    RandomStream noise(static_cast<std::uint64_t>(seed * 1000), "synthetic",
                       static_cast<std::uint64_t>(step));
    const double x = static_cast<double>(step) / static_cast<double>(std::max<std::int64_t>(total, 1));
    const double fall = 1.2 + 5.0 * std::exp(-6 * x) + 0.15 * seed;
    writer.scalar("loss", step, wall, fall * (1 + 0.06 * noise.normal()));
    writer.scalar("nll", step, wall, fall * 0.8 * (1 + 0.05 * noise.normal()));
    writer.scalar("grad_norm", step, wall, (0.6 + 3 * std::exp(-9 * x)) * std::exp(0.25 * noise.normal()));
    writer.scalar("lr", step, wall, 2e-3 * std::min(x * 20, std::pow(std::max(x * 20, 1e-9), -0.5)));
    writer.scalar("tokens_per_second", step, wall, 9800 + 300 * noise.normal());
}

void logEvaluation(store::RunWriter& writer, std::int64_t step, std::int64_t total, double wall,
                   double seed) {
    static const std::pair<const char*, const char*> kPrompts[] = {
        {"from there yahweh scattered them abroad on the surface of all the earth",
         "From there Yahweh scattered them abroad on the surface of all the earth."},
        {"they answered him are you also from galilee", "They answered him, “Are you also from Galilee?”"},
        {"after these things there was a feast of the jews and jesus went up to jerusalem",
         "After these things there was a feast of the Jews, and Jesus went up to Jerusalem."},
        {"jesus wept", "Jesus wept."},
    };
    const double x = static_cast<double>(step) / static_cast<double>(std::max<std::int64_t>(total, 1));
    writer.scalar("valid_loss", step, wall, 1.5 + 4.5 * std::exp(-5 * x) + 0.15 * seed);
    writer.scalar("valid_nll", step, wall, 1.3 + 3.6 * std::exp(-5 * x) + 0.12 * seed);
    writer.scalar("valid_bleu", step, wall, 64 * (1 - std::exp(-3.2 * x)) - 2 * seed);
    int prompt = 0;
    for (const auto& [input, reference] : kPrompts) {
        // The nearer the end, the more words of the reference stand in the output.
        RandomStream draw(7, "synthetic.words", static_cast<std::uint64_t>(prompt));
        std::vector<std::string> words = splitWords(reference), out;
        for (const std::string& word : words) {
            out.push_back(draw.uniform() < x + 0.25 ? word : std::string("the"));
            if (draw.uniform() > x + 0.6) out.push_back(out.back());
        }
        writer.sample({step, prompt++, input, join(out, " "), reference, -0.4, {}});
    }
    nlohmann::json edges = nlohmann::json::array(), values = nlohmann::json::array(),
                   weights = nlohmann::json::array();
    for (int i = 0; i <= 20; ++i) edges.push_back(-10.0 + i);
    for (int i = 0; i < 20; ++i) {
        values.push_back((1.4 - x) * 4 / (1 + std::exp(0.6 * (i - 10))));
        weights.push_back(10);
    }
    writer.histogram("loss", step, {{"edges", edges}, {"values", values}, {"weights", weights}});
}

void writeSyntheticRun(const std::filesystem::path& project, const SyntheticRun& run) {
    auto opened = store::RunWriter::open(project / "runs" / run.id);
    if (!opened) return;
    store::RunWriter& writer = **opened;
    const SchemaLookup schemas = [](const std::string&) -> Result<std::shared_ptr<const Schema>> {
        return std::make_shared<const Schema>(syntheticSchema());
    };
    const auto config = RunConfig::parse(
        "family = \"toy\"\nname = \"" + run.name + "\"\n[train]\nlr = 0.002\n", "toy.toml", schemas);
    const std::int64_t total = run.points * 10;
    const double start = wallSeconds() - static_cast<double>(run.points) - 60 * run.seed;
    writer.set("id", run.id);
    writer.set("name", run.name);
    writer.set("family", "toy");
    writer.set("data_hash", run.corpus);
    writer.set("state", run.state);
    writer.set("reason", run.reason);
    if (config) {
        writer.set("config", config->canonicalText());
        writer.set("config_hash", config->contentHash());
    }
    writer.set("started", std::to_string(start));
    writer.set("total_steps", std::to_string(total));
    writer.beginSegment(0, "start");
    writer.scalar("copy_bleu", 0, start, 51.7);
    for (std::int64_t i = 0; i < run.points; ++i) {
        const double wall = start + static_cast<double>(i);
        logPoint(writer, i * 10, total, wall, run.seed);
        if (i % std::max<std::int64_t>(run.points / 8, 1) == 0)
            logEvaluation(writer, i * 10, total, wall, run.seed);
    }
    writer.event(total / 3, "pause", "paused by the user");
    writer.event(total / 3, "resume", "went on");
    writer.event(total / 2, "set", "train.lr = 0.001");
    writer.log(0, "info", "toy: 1,050,000 parameters, 2 threads");
    writer.log(total - 10, "info", "done");
    writer.set("ended", std::to_string(start + static_cast<double>(run.points)));
    writer.heartbeat(run.state == "completed" ? total : total - 10);
    (void)writer.flush();
}

}  // namespace kurve::testing
