#include "core/schedule/schedule_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/schedule/detail/schedule_kinds.h"
#include "core/schedule/schedule_text.h"

namespace kurve::schedule {
namespace {

// toml++ destroys the tables of a dotted key by recursion: a line of many thousand dots would end the stack.
constexpr std::size_t kMaxBytes = 1U << 16, kMaxLineBytes = 1U << 14;
constexpr const char* kZeroTerminal = "zero-terminal";

Error wrongType(const std::string& key, const std::string& remedy) {
    return requestError("config.wrong_type", "is of another type").at(key).fix(remedy);
}

int lineOf(const toml::node& node) {
    return static_cast<int>(node.source().begin.line);
}

/// Two numbers of an array, whole or not.
std::optional<std::pair<double, double>> pairOf(const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->size() != 2) return std::nullopt;
    const auto first = (*array)[0].value<double>(), second = (*array)[1].value<double>();
    if (!first || !second || !(*array)[0].is_number() || !(*array)[1].is_number()) return std::nullopt;
    return std::pair{*first, *second};
}

Status readPoints(const toml::node& node, FreeCurve& curve) {
    constexpr const char* kRemedy = "write points = [[0, 12], [0.5, 0], [1, -12]]";
    const toml::array* array = node.as_array();
    if (array == nullptr) return wrongType("points", kRemedy);
    for (std::size_t i = 0; i < array->size(); ++i) {
        const auto pair = pairOf((*array)[i]);
        if (!pair)
            return requestError("config.wrong_type", fmt::format("point {} is not [time, log-SNR]", i + 1))
                .at("points")
                .fix(kRemedy);
        curve.points.push_back({pair->first, pair->second});
    }
    return {};
}

Status readKind(const toml::node& node, FreeCurve& curve) {
    const auto kind = node.value<std::string>();
    if (kind != "gaussian" && kind != "mask")
        return requestError("config.bad_choice", "is neither gaussian nor mask")
            .at("kind")
            .fix("write kind = \"gaussian\" or kind = \"mask\"");
    curve.masking = kind == "mask";
    return {};
}

Status readKey(const std::string& key, const toml::node& node, FreeCurve& curve) {
    if (key == "points") return readPoints(node, curve);
    if (key == "kind") return readKind(node, curve);
    if (key == "zero_terminal") {
        if (!node.is_boolean()) return wrongType(key, "write true or false");
        curve.zeroTerminal = node.ref<bool>();
        return {};
    }
    if (key == "clamp") {
        curve.clamp = pairOf(node);
        return curve.clamp ? Status() : wrongType(key, "write clamp = [-12, 12]");
    }
    if (key == "note") {
        if (!node.is_string()) return wrongType(key, "write a text");
        curve.note = node.ref<std::string>();
        return {};
    }
    const std::vector<std::string> known{"kind", "points", "zero_terminal", "clamp", "note"};
    const auto near = nearestWord(key, known);
    return requestError("config.unknown_key", "a schedule file has no such key")
        .at(key)
        .fix((near ? "did you mean " + *near + "? " : std::string()) + "it has: " + join(known, ", "));
}

Result<toml::table> parseToml(const std::string& text, const std::string& fileName) {
    const std::vector<std::string> lines = split(text, '\n');
    const bool wide = std::any_of(lines.begin(), lines.end(),
                                  [](const std::string& line) { return line.size() > kMaxLineBytes; });
    if (text.size() > kMaxBytes || wide)
        return requestError("schedule.syntax", fmt::format("is longer than {} bytes, or a line than {}",
                                                           kMaxBytes, kMaxLineBytes))
            .in(fileName);
    try {
        return toml::parse(text, fileName);
    } catch (const toml::parse_error& problem) {
        return requestError("schedule.syntax", std::string(problem.description()))
            .in(fileName, static_cast<int>(problem.source().begin.line))
            .fix("a schedule file is written in TOML: points = [[0, 12], [1, -12]]");
    }
}

}  // namespace

std::vector<std::string> schedulePrefixes() {
    return {kFilePrefix, "free:", "free-mask:"};
}

Result<FreeCurve> parseScheduleFile(const std::string& text, const std::string& fileName) {
    KURVE_TRY(const toml::table table, parseToml(text, fileName));
    FreeCurve curve;
    int pointsLine = 0;
    for (const auto& [key, node] : table) {
        if (auto status = readKey(std::string(key.str()), node, curve); !status)
            return Error(status.error()).in(fileName, lineOf(node));
        if (key.str() == "points") pointsLine = lineOf(node);
    }
    if (auto status = check(curve); !status) return Error(status.error()).in(fileName, pointsLine);
    return curve;
}

Result<FreeCurve> readScheduleFile(const std::filesystem::path& file) {
    const auto text = readFile(file);
    if (!text)
        return requestError("schedule.file", "cannot be read: " + text.error().message)
            .in(file.string())
            .fix("name a schedule file of the project, like file:schedules/NAME.toml");
    return parseScheduleFile(*text, file.string());
}

std::string scheduleFileText(const FreeCurve& curve) {
    std::string text =
        "# Noise schedule of Kurve: log-SNR in nats at times from 0 (data) to 1 (noise), a monotone cubic "
        "between.\n";
    text += fmt::format("kind = \"{}\"\n", curve.masking ? "mask" : "gaussian");
    if (!curve.note.empty()) {
        toml::value<std::string> note(curve.note);
        std::ostringstream quoted;
        quoted << toml::toml_formatter(note, toml::format_flags::none);
        text += "note = " + quoted.str() + "\n";
    }
    text += fmt::format("zero_terminal = {}\n", curve.zeroTerminal);
    if (curve.clamp)
        text +=
            fmt::format("clamp = [{}, {}]\n", realText(curve.clamp->first), realText(curve.clamp->second));
    text += "points = [\n";
    for (const auto& point : curve.points)
        text += fmt::format("  [{}, {}],\n", realText(point.t), realText(point.logSnr));
    return text + "]\n";
}

std::string inlineText(const FreeCurve& curve) {
    return fmt::format("{}:{}{}", curve.masking ? "free-mask" : "free", pointsText(curve.points),
                       curve.zeroTerminal ? std::string(";") + kZeroTerminal : "");
}

Result<FreeCurve> parseInline(const std::string& id) {
    FreeCurve curve;
    const std::size_t colon = id.find(':');
    const std::string kind = id.substr(0, colon);
    if (colon == std::string::npos || (kind != "free" && kind != "free-mask"))
        return requestError("schedule.unknown", fmt::format("“{}” holds no points", id))
            .fix("write free:0=12,0.5=0,1=-12");
    curve.masking = kind == "free-mask";
    std::vector<std::string> parts = split(id.substr(colon + 1), ';');
    KURVE_TRY(curve.points, parsePoints(parts.front()));
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (trim(parts[i]) != kZeroTerminal)
            return requestError("schedule.points", fmt::format("“{}” is not known here", parts[i]))
                .at("points")
                .fix("only ;zero-terminal may follow the points");
        curve.zeroTerminal = true;
    }
    KURVE_CHECKED(check(curve));
    return curve;
}

Result<std::string> inlined(const std::string& id, const std::filesystem::path& project) {
    if (!id.starts_with(kFilePrefix)) return id;
    KURVE_TRY(const FreeCurve curve, readScheduleFile(project / id.substr(std::string(kFilePrefix).size())));
    return inlineText(curve);
}

Result<RunConfig> withInlinedSchedules(const RunConfig& config, const std::filesystem::path& project) {
    std::vector<Override> changes;
    for (const FieldSpec& field : config.schema().fields) {
        const bool takesFile =
            std::find(field.prefixes.begin(), field.prefixes.end(), kFilePrefix) != field.prefixes.end();
        if (!takesFile || !config.text(field.key).starts_with(kFilePrefix)) continue;
        auto text = inlined(config.text(field.key), project);
        if (!text) {
            Error error = text.error();
            if (!error.field.empty()) error.message = error.field + ": " + error.message;
            error.field = field.key;
            return error;
        }
        changes.emplace_back(field.key, *text);
    }
    return changes.empty() ? config : config.with(changes);
}

}  // namespace kurve::schedule
