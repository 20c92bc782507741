#include "core/trace/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json_depth.h"
#include "core/base/text.h"

namespace kurve::trace {
namespace {

using nlohmann::json;

constexpr std::array kNames{"force", "pin", "ban", "noise", "latent", "sampler"};

Error syntaxError(std::string what, const char* field) {
    return requestError("branch.syntax", std::move(what)).at(field);
}

Result<EditKind> kindOf(const json& body) {
    const json kind = body.value("kind", json());
    if (!kind.is_string()) return syntaxError("an edit has a kind", "kind");
    const auto name = kind.get<std::string>();
    const auto* found = std::find(kNames.begin(), kNames.end(), name);
    if (found != kNames.end()) return static_cast<EditKind>(found - kNames.begin());
    const std::vector<std::string> known(kNames.begin(), kNames.end());
    const auto near = nearestWord(name, known);
    return requestError("branch.kind", "no edit is called \"" + name + "\"")
        .at("kind")
        .fix(near ? "did you mean " + *near + "?" : "known: " + join(known, ", "));
}

Result<int> wholeNumber(const json& body, const char* member) {
    const json value = body.value(member, json());
    if (!value.is_number_integer() || value < 0 || value > INT32_MAX)
        return syntaxError(fmt::format("\"{}\" must be a number from 0 on", member), member);
    return value.get<int>();
}

Status readToken(const json& body, Edit& edit) {
    const json token = body.value("token", json());
    const json shown = token.is_string() ? token : body.value("text", json());
    if (shown.is_string()) edit.text = shown.get<std::string>();
    if (token.is_string()) return {};
    KURVE_TRY(edit.token, wholeNumber(body, "token"));
    return {};
}

Status readValues(const json& body, Edit& edit) {
    const json values = body.value("values", json());
    const auto number = [](const json& v) { return v.is_number(); };
    if (!values.is_array() || values.empty() || !std::all_of(values.begin(), values.end(), number))
        return syntaxError("\"values\" must be a list of numbers", "values");
    edit.values = values.get<std::vector<float>>();
    return {};
}

Status readSettings(const json& body, Edit& edit) {
    const json settings = body.value("settings", json());
    if (!settings.is_object() || settings.empty())
        return syntaxError("\"settings\" must be an object of the sampler's settings", "settings");
    for (const auto& [key, value] : settings.items()) {
        if (value.is_structured())
            return syntaxError("the setting " + key + " must be a text or a number", "settings");
        edit.settings[key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
    return {};
}

Result<Edit> editOf(const json& body, int step) {
    if (!body.is_object()) return syntaxError("an edit is an object", "edits");
    Edit edit;
    KURVE_TRY(edit.kind, kindOf(body));
    edit.step = step;
    if (body.contains("step")) {
        KURVE_TRY(edit.step, wholeNumber(body, "step"));
    }
    if (edit.kind == EditKind::Sampler) {
        KURVE_CHECKED(readSettings(body, edit));
        return edit;
    }
    edit.point = edit.kind == EditKind::Latent && body.contains("point");
    KURVE_TRY(edit.position, wholeNumber(body, edit.point ? "point" : "position"));
    if (edit.kind == EditKind::Latent) KURVE_CHECKED(readValues(body, edit));
    if (edit.hasText()) KURVE_CHECKED(readToken(body, edit));
    return edit;
}

std::string nameOf(const Edit& edit) {
    if (edit.kind == EditKind::Sampler) {
        std::vector<std::string> settings;
        for (const auto& [key, value] : edit.settings) settings.push_back(key + " = " + value);
        return fmt::format("{} @{}", join(settings, ", "), edit.step + 1);
    }
    const char* symbol = edit.kind == EditKind::Pin ? "=" : edit.kind == EditKind::Ban ? "!=" : ":=";
    const std::string what = edit.kind == EditKind::Noise ? "noise"
                             : !edit.text.empty()         ? edit.text
                                                          : std::to_string(edit.token);
    if (edit.kind == EditKind::Latent)
        return fmt::format("{} {} moved @{}", edit.point ? "point" : "position", edit.position,
                           edit.step + 1);
    return fmt::format("position {} {} {} @{}", edit.position, symbol, what, edit.step + 1);
}

}  // namespace

const char* editKindName(EditKind kind) {
    return kNames[static_cast<std::size_t>(kind)];
}

Result<std::vector<Edit>> editsFromJson(const json& edits, int step) {
    std::vector<Edit> out;
    if (!edits.is_array()) {
        KURVE_TRY(Edit edit, editOf(edits, step));
        out.push_back(std::move(edit));
        return out;
    }
    for (const auto& body : edits) {
        KURVE_TRY(Edit edit, editOf(body, step));
        out.push_back(std::move(edit));
    }
    return out;
}

Result<std::vector<Edit>> editsFromText(std::string_view text, int step) {
    const json parsed =
        jsonDeeperThan(text, 4) ? json(json::value_t::discarded) : json::parse(text, nullptr, false);
    if (parsed.is_discarded()) return syntaxError("an edit must be JSON", "edits");
    return editsFromJson(parsed, step);
}

json editsToJson(const std::vector<Edit>& edits) {
    json out = json::array();
    for (const Edit& edit : edits) {
        json body{{"kind", editKindName(edit.kind)}, {"step", edit.step}};
        if (edit.kind == EditKind::Sampler) {
            body["settings"] = edit.settings;
            out.push_back(std::move(body));
            continue;
        }
        body[edit.point ? "point" : "position"] = edit.position;
        if (edit.kind == EditKind::Latent) body["values"] = edit.values;
        if (edit.token >= 0) body["token"] = edit.token;
        if (!edit.text.empty()) body[edit.token >= 0 ? "text" : "token"] = edit.text;
        out.push_back(std::move(body));
    }
    return out;
}

std::string editsName(const std::vector<Edit>& edits) {
    if (edits.empty()) return "unchanged";
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(edits.size(), kNamed); ++i) names.push_back(nameOf(edits[i]));
    if (edits.size() > kNamed) names.push_back(fmt::format("{} more", edits.size() - kNamed));
    return join(names, ", ");
}

std::string traceNameOf(const std::filesystem::path& file) {
    if (file.empty()) return {};
    return (file.parent_path().filename() / file.filename()).string();
}

namespace {

/// The last step that writes a chunk or a sentence; -1: none does.
int lastStepOf(const Trace& trace, int position) {
    const auto found = std::find(trace.outer.rbegin(), trace.outer.rend(), position);
    return static_cast<int>(trace.outer.rend() - found) - 1;
}

}  // namespace

Status checkEdits(const Trace& parent, int from, const std::vector<Edit>& edits) {
    const auto stepError = [&](int step) {
        return requestError("branch.step", fmt::format("there is no step {}", step))
            .at("step")
            .fix(fmt::format("the trace has the steps 0 to {}", parent.steps - 1));
    };
    if (from < 0 || from >= parent.steps) return stepError(from);
    for (const Edit& edit : edits) {
        if (edit.step >= parent.steps) return stepError(edit.step);
        if (edit.step < from)
            return requestError("branch.step", fmt::format("an edit at step {} of a branch that begins at {}",
                                                           edit.step, from))
                .at("step")
                .fix("begin the branch at the first edit");
        if (!edit.point && edit.position >= parent.positions)
            return requestError("branch.position", fmt::format("there is no position {}", edit.position))
                .at("position")
                .fix(fmt::format("the trace has the positions 0 to {}", parent.positions - 1));
        if (parent.unit == Unit::Token || !parent.ordered() || edit.kind == EditKind::Sampler) continue;
        if (const int last = lastStepOf(parent, edit.position); last >= 0 && edit.step > last)
            return requestError("branch.position",
                                fmt::format("{} {} is written by step {}, not {}", unitName(parent.unit),
                                            edit.position, last + 1, edit.step + 1))
                .at("position")
                .fix(fmt::format("begin the branch at step {} or before", last));
    }
    return {};
}

}  // namespace kurve::trace
