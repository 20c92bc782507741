#include "core/frontier/sweep_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/counted.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/json_depth.h"

namespace kurve::frontier {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kFolder = "sweeps";
/// Of what is computed, and in each file: raised where the same plan gives other numbers than before, so that
/// no older point is taken for one of them, or shown beside them. 2: a Transformer's samples are no longer
/// the likeliest of several.
constexpr int kSweepForm = 2;
constexpr const char* kOtherForm = "sweep.other_form";

/// JSON has no infinities; a metric of nothing may be one.
json number(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double number(const json& value) {
    if (value.is_number()) return value.get<double>();
    const auto& text = value.get_ref<const std::string&>();
    if (text == "nan") return NAN;
    if (text == "inf") return INFINITY;
    if (text == "-inf") return -INFINITY;
    throw json::type_error::create(302, "not a number: " + text, nullptr);
}

json estimatesJson(const std::map<std::string, Estimate>& estimates) {
    json all = json::object();
    for (const auto& [id, e] : estimates) {
        json bySeed = json::array();
        for (const double value : e.bySeed) bySeed.push_back(number(value));
        all[id] = {{"value", number(e.value)},
                   {"ci95", {number(e.low), number(e.high)}},
                   {"n", e.n},
                   {"signature", e.signature},
                   {"by_seed", bySeed}};
    }
    return all;
}

std::map<std::string, Estimate> estimatesOf(const json& all) {
    std::map<std::string, Estimate> estimates;
    for (const auto& [id, e] : all.items()) {
        Estimate& one = estimates[id];
        one.value = number(e.at("value"));
        one.low = number(e.at("ci95").at(0));
        one.high = number(e.at("ci95").at(1));
        one.n = e.at("n").get<int>();
        one.signature = e.at("signature").get<std::string>();
        for (const auto& value : e.at("by_seed")) one.bySeed.push_back(number(value));
    }
    return estimates;
}

json textsJson(const std::vector<SweepPoint::Text>& texts) {
    json all = json::array();
    for (const auto& text : texts) {
        all.push_back({{"source", text.source},
                       {"reference", text.reference},
                       {"outputs", text.outputs},
                       {"noise", {{"seed_offset", text.noise.seedOffset}, {"row", text.noise.row}}}});
    }
    return all;
}

SweepPoint read(const json& j) {
    SweepPoint point;
    point.run = j.at("run").get<std::string>();
    point.checkpoint = j.at("checkpoint").get<std::string>();
    point.checkpointSha256 = j.at("checkpoint_sha256").get<std::string>();
    point.split = j.at("split").get<std::string>();
    point.reference = j.at("reference_sha256").get<std::string>();
    point.step = j.at("step").get<std::int64_t>();
    point.settings = j.at("settings").get<std::map<std::string, std::string>>();
    point.seeds = j.at("seeds").get<std::vector<std::uint64_t>>();
    point.sentences = j.at("sentences").get<int>();
    point.quality = estimatesOf(j.at("quality"));
    point.diversity = estimatesOf(j.at("diversity"));
    for (const auto& [id, value] : j.at("reference_diversity").items())
        point.referenceDiversity[id] = number(value);
    point.scorer = j.value("scorer", "");
    if (j.contains("reference_quality"))
        for (const auto& [id, value] : j.at("reference_quality").items())
            point.referenceQuality[id] = number(value);
    const auto& cost = j.at("cost");
    point.cost = {cost.at("network_calls").get<std::int64_t>(), cost.at("seconds").get<double>(),
                  cost.at("tokens").get<std::int64_t>()};
    for (const auto& text : j.at("texts")) {
        const auto& noise = text.at("noise");
        point.texts.push_back(
            {text.at("source").get<std::string>(),
             text.at("reference").get<std::string>(),
             text.at("outputs").get<std::vector<std::string>>(),
             {noise.at("seed_offset").get<std::uint64_t>(), noise.at("row").get<std::uint64_t>()}});
    }
    return point;
}

}  // namespace

bool isRepetitive(const SweepPoint& point) {
    return std::any_of(point.diversity.begin(), point.diversity.end(), [&](const auto& one) {
        const auto reference = point.referenceDiversity.find(one.first);
        return reference != point.referenceDiversity.end() &&
               one.second.value < kRepetitiveFraction * reference->second;
    });
}

std::string pointHash(const SweepPoint& plan, const std::map<std::string, std::string>& sampler,
                      const std::vector<std::string>& metrics) {
    std::vector<std::string> ids = metrics;
    std::sort(ids.begin(), ids.end());
    const json what{{"form", kSweepForm},          {"checkpoint", plan.checkpointSha256},
                    {"split", plan.split},         {"reference", plan.reference},
                    {"sentences", plan.sentences}, {"seeds", plan.seeds},
                    {"sampler", sampler},          {"metrics", ids}};
    return sha256(what.dump()).substr(0, 24);
}

json toJson(const SweepPoint& point) {
    const double perToken =
        point.cost.tokens > 0 ? 1e3 * point.cost.seconds / static_cast<double>(point.cost.tokens) : NAN;
    json references = json::object();
    for (const auto& [id, value] : point.referenceDiversity) references[id] = number(value);
    json document{{"run", point.run},
                  {"checkpoint", point.checkpoint},
                  {"checkpoint_sha256", point.checkpointSha256},
                  {"step", point.step},
                  {"split", point.split},
                  {"reference_sha256", point.reference},
                  {"settings", point.settings},
                  {"seeds", point.seeds},
                  {"sentences", point.sentences},
                  {"quality", estimatesJson(point.quality)},
                  {"diversity", estimatesJson(point.diversity)},
                  {"reference_diversity", references},
                  {"cost",
                   {{"network_calls", point.cost.networkCalls},
                    {"seconds", point.cost.seconds},
                    {"tokens", point.cost.tokens},
                    {"ms_per_token", number(perToken)}}},
                  {"texts", textsJson(point.texts)}};
    if (point.scorer.empty()) return document;
    document["scorer"] = point.scorer;
    document["reference_quality"] = json::object();
    for (const auto& [id, value] : point.referenceQuality) document["reference_quality"][id] = number(value);
    return document;
}

Result<SweepPoint> pointFromJson(const json& j) {
    try {
        return read(j);
    } catch (const json::exception& problem) {
        return workError("sweep.damaged", std::string("not a point of a sweep: ") + problem.what());
    }
}

fs::path pointFile(const fs::path& runFolder, const std::string& hash) {
    return runFolder / kFolder / (hash + ".json");
}

Status savePoint(const fs::path& file, const SweepPoint& point) {
    KURVE_CHECKED(makeFolderInside(file.parent_path().parent_path(), kFolder));
    json document = toJson(point);
    document["form"] = kSweepForm;
    return writeFileAtomically(file, document.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

Result<SweepPoint> loadPoint(const fs::path& file) {
    KURVE_TRY(const std::string text, readFile(file, kResultBytes));
    const auto damaged = [&](const std::string& why) {
        return workError("sweep.damaged", why)
            .in(file.string())
            .fix("delete it; the next sweep computes that point again");
    };
    if (jsonDeeperThan(text, 32)) return damaged("nested too deeply");
    const json document = json::parse(text, nullptr, false);
    if (document.is_discarded()) return damaged("not JSON");
    if (document.is_object() && document.value("form", json()) != kSweepForm)
        return workError(kOtherForm, "another version computed it, with other numbers").in(file.string());
    auto point = pointFromJson(document);
    if (!point) return damaged(point.error().message);
    return point;
}

StoredPoints loadPoints(const fs::path& runFolder) {
    StoredPoints stored;
    const auto folder = pathInside(runFolder, kFolder);
    if (!folder) {
        stored.damaged.push_back(folder.error());
        return stored;
    }
    std::vector<fs::path> files;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(*folder, code))
        if (!entry.is_symlink(code) && entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::size_t others = 0;
    for (const auto& file : files) {
        auto point = loadPoint(file);
        if (point)
            stored.points.push_back(std::move(*point));
        else if (point.error().code == kOtherForm)
            ++others;
        else
            stored.damaged.push_back(point.error());
    }
    if (others > 0)
        stored.damaged.push_back(
            workError(kOtherForm, fmt::format("{} left out: another version computed other numbers",
                                              counted(others, "point")))
                .in(folder->string())
                .fix(fmt::format("repeat the sweep; files without \"form\": {} are of no use", kSweepForm)));
    return stored;
}

}  // namespace kurve::frontier
