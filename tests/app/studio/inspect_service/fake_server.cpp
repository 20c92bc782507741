// Stands for `kurve sample RUN --serve` in the tests of the studio's inspect service. The run's id says how
// it behaves: "good", "silent" (never loads), "foreign" (another protocol), "broken" (an error, then exit 1),
// "dies" (SIGSEGV). The prompt "slow" is answered only after the next message; "bad" gets an error; "grows"
// is shown after one and two of its three steps before it is answered, "reloads" after newer weights; all
// others get a small trace.
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>

#include "core/wire/message.h"
#include "tests/support/synthetic_trace.h"

namespace {

using kurve::wire::Message;
using nlohmann::json;

void say(const std::string& type, json body, const std::string& id = {}) {
    std::cout << kurve::wire::encode({type, id, std::move(body)}) << std::endl;
}

void grow(const Message& request) {
    const std::string file = request.body.value("follow", "");
    for (int steps = 1; steps < 3; ++steps) {
        kurve::trace::Trace trace = kurve::test::syntheticTrace({.words = 6, .steps = steps});
        trace.meta["planned_steps"] = "3";
        if (!kurve::trace::writeTrace(file, trace)) std::exit(1);
        say("tracing", {{"file", file}, {"steps", steps}, {"planned", 3}}, request.id);
        usleep(200'000);  // time to read it
    }
}

void answer(const Message& request, const std::string& note, const std::filesystem::path& runFolder) {
    const std::string input = request.body.value("input", "");
    if (input == "grows") grow(request);
    if (input == "reloads") say("state", {{"state", "serving"}, {"reason", "newer weights"}});
    if (input == "bad")
        return say("error",
                   {{"code", "wire.bad_request"}, {"message", "no such prompt"}, {"field", "sampler.steps"}},
                   request.id);
    const std::string name = "traces/" + request.id + ".safetensors";
    std::filesystem::create_directories(runFolder / "traces");
    kurve::trace::Trace trace = kurve::test::syntheticTrace({.words = 6, .steps = 3});
    trace.meta["note"] = note;
    if (!kurve::trace::writeTrace(runFolder / name, trace)) std::exit(1);
    say("traced",
        {{"trace", input == "elsewhere" ? "../../" + name : name},
         {"output", "Answer to " + input},
         {"steps", 3},
         {"seconds", 0.25},
         {"sample",
          {{"input", input}, {"score", -1.5}, {"candidates", {{{"output", "a"}}, {{"output", "b"}}}}}}},
        request.id);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string run = argc > 2 ? argv[2] : "";
    say("hello", {{"protocol", run == "foreign" ? 99 : kurve::wire::kProtocol}, {"pid", getpid()}});
    if (run == "broken") {
        say("error", {{"code", "checkpoint.missing"}, {"message", "the run has no checkpoint yet"}});
        return 1;
    }
    if (run == "dies") {
        std::signal(SIGSEGV, SIG_DFL);  // AddressSanitizer has a handler
        std::raise(SIGSEGV);
    }
    if (run != "silent") say("state", {{"state", "serving"}});
    std::string line, arguments;
    for (int i = 1; i < argc; ++i) arguments += std::string(argv[i]) + " ";
    std::optional<Message> held;
    int cancels = 0;
    while (std::getline(std::cin, line)) {
        const auto message = kurve::wire::decode(line);
        if (!message) return 3;
        if (message->type == "stop") return 0;
        if (held && message->type == "cancel" && message->id == held->id) {
            ++cancels;
            say("error", {{"code", "cancelled"}, {"message", "the request was cancelled"}}, held->id);
            held.reset();
        }
        if (message->type == "reconstruct")
            say(message->body.value("input", "") == "bad" ? "error" : "reconstructed",
                {{"code", "sample.too_long"},
                 {"message", "input: too long; shorten it"},
                 {"remedy", "shorten it"},
                 {"field", "input"},
                 {"heard", message->body}},
                message->id);
        if (message->type != "trace" && message->type != "branch") continue;
        const std::string note = arguments + std::to_string(cancels) + " cancelled | " + message->body.dump();
        if (message->body.value("input", "") == "slow")
            held = *message;
        else
            answer(*message, note, std::filesystem::path(argv[5]) / "runs" / run);
    }
    return 0;
}
