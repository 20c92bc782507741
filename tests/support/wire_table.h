#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/wire/message.h"

namespace kurve::test {

/// Every message type of the wire with all the fields that it may have: what the engine says,
inline std::vector<wire::Message> wireEvents() {
    using nlohmann::json;
    const json metrics{{"loss", 1.5}, {"bleu", 12}};
    const json sample{{"input", "a b"},
                      {"output", "A b."},
                      {"score", -1.5},
                      {"candidates", {{{"output", "A b."}, {"score", -1.5}, {"number", 0}, {"pieces", 2}}}}};
    return {
        {"hello", "", {{"protocol", wire::kProtocol}, {"build", "1"}, {"run", "r"}, {"pid", 2147483646}}},
        {"state", "", {{"state", "running"}, {"reason", "by command"}, {"step", 3}, {"total", 9}}},
        {"state", "", {{"state", "serving"}, {"reason", "newer weights"}, {"checkpoint", "last"}}},
        {"progress",
         "",
         {{"step", 3},
          {"total", 9},
          {"metrics", metrics},
          {"device", "cpu"},
          {"tokens_per_second", 10.5},
          {"eta_seconds", 4.5}}},
        {"evaluated", "", {{"step", 3}, {"metrics", metrics}}},
        {"checkpoint", "", {{"step", 3}, {"path", "checkpoints/step-00000003"}}},
        {"pinned", "7", {{"step", 3}, {"path", "checkpoints/step-00000003"}, {"pinned", true}}},
        {"sampled", "7", {{"samples", {sample}}, {"network_calls", 4}, {"seconds", 0.5}}},
        {"reconstructed",
         "7",
         {{"texts",
           {{{"input", "a b"},
             {"output", "a"},
             {"tokens", 3},
             {"right", 1},
             {"chunks",
              {{{"ids", {5, 2}},
                {"tokens", {"a", "b"}},
                {"decoded_ids", {5, 6}},
                {"decoded_tokens", {"a", "c"}},
                {"mean", {0.5, -1}},
                {"latent", {0.5, -1}},
                {"sigma", 0.1}}}}}}},
          {"between", {{{"t", 0}, {"text", "a"}, {"tokens", {"a", "c"}}}}},
          {"seconds", 0.5}}},
        {"tracing", "7", {{"file", "/nowhere"}, {"steps", 1}, {"planned", 4}}},
        {"traced",
         "7",
         {{"file", "/nowhere"},
          {"trace", "traces/t.safetensors"},
          {"output", "A b."},
          {"sample", sample},
          {"steps", 4},
          {"network_calls", 4},
          {"seconds", 0.5},
          {"parent", "traces/p.safetensors"},
          {"change", "position 1 := a"}}},
        {"swept", "", {{"point", {{"run", "r"}, {"settings", {{"sampler.steps", "4"}}}}}}},
        {"mark", "", {{"step", 3}, {"kind", "teacher"}, {"text", "chosen"}}},
        {"alert", "", {{"step", 3}, {"text", "loss over 9"}, {"action", "pause"}}},
        {"warning", "", {{"code", "io.write"}, {"message", "no room"}, {"remedy", "make some"}, {"step", 3}}},
        {"error",
         "",
         {{"code", "train.gone"},
          {"message", "it is gone"},
          {"remedy", "bring it back"},
          {"field", "train.lr"},
          {"file", "x.toml"},
          {"line", 3},
          {"checkpoint", 2}}},
        {"pong", "7", json::object()},
        {"done",
         "",
         {{"run", "r"},
          {"state", "completed"},
          {"file", "data/kd.tsv"},
          {"pairs", 3},
          {"total", 9},
          {"points", 4},
          {"refine", 1},
          {"cached", 2},
          {"left", 1},
          {"seconds", 2.5}}}};
}

/// and what it is told.
inline std::vector<wire::Message> wireCommands() {
    using nlohmann::json;
    const json edit{{"kind", "force"}, {"step", 1}, {"position", 0}, {"token", 5}, {"text", "a"}};
    return {
        {"hello", "1", {{"protocol", wire::kProtocol}, {"build", "1"}}},
        {"pause", "", json::object()},
        {"resume", "", json::object()},
        {"state", "", json::object()},
        {"ping", "2", json::object()},
        {"checkpoint", "", json::object()},
        {"cancel", "3", json::object()},
        {"pin", "4", {{"step", 3}, {"pinned", true}}},
        {"set", "5", {{"key", "eval.every_steps"}, {"value", 100000}}},
        {"sample", "6", {{"input", {"in the beginning"}}, {"sampler", {{"steps", 2}}}, {"seed", 3}}},
        {"trace",
         "7",
         {{"input", "in the beginning"},
          {"sampler", {{"steps", 2}}},
          {"reference", "In the beginning."},
          {"seed", 3},
          {"row", 1},
          {"candidate", 0},
          {"what", {"latent"}},
          {"follow", "/nowhere/growing.safetensors"}}},
        {"branch",
         "8",
         {{"parent", "traces/p.safetensors"}, {"step", 1}, {"edits", {edit}}, {"what", {"latent"}}}},
        {"reconstruct",
         "9",
         {{"input", {"in the beginning"}}, {"sampler", {{"noise", 0.5}}}, {"seed", 3}, {"between", {0, 1}}}},
        {"stop", "", {{"reason", "enough"}}}};
}

/// The document with each of its members, one at a time, left out, null, and of every other type.
inline std::vector<nlohmann::json> damagedCopies(const nlohmann::json& document) {
    using nlohmann::json;
    const std::vector<json> wrong{nullptr,       true,           -1,  1.5,         1e308, UINT64_MAX, "text",
                                  json::array(), json::object(), {1}, {{"key", 1}}};
    std::vector<json> all;
    std::set<std::string> done;
    const json flat = document.flatten();
    for (const auto& [path, value] : flat.items())
        // The member itself and everything that it lies in.
        for (json::json_pointer place(path); !place.empty(); place.pop_back()) {
            if (!done.insert(place.to_string()).second) break;
            for (const json& other : wrong) {
                all.push_back(document);
                all.back()[place] = other;
            }
            all.push_back(document);
            json& owner = all.back()[place.parent_pointer()];
            owner.is_object() ? (void)owner.erase(place.back()) : (void)owner.erase(owner.begin());
        }
    return all;
}

/// A message of the table as it is, and with its fields damaged one at a time.
inline std::vector<wire::Message> damagedCopies(const wire::Message& message) {
    std::vector<wire::Message> all{message};
    if (message.body.empty()) return all;
    for (nlohmann::json& body : damagedCopies(message.body))
        all.push_back({message.type, message.id, std::move(body)});
    return all;
}

}  // namespace kurve::test
