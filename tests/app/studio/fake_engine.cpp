// Stands for `kurve` in the studio's tests: obeys the wire, trains nothing. What it does wrong, the
// environment says:
//   KURVE_FAKE = (empty) | gpu | crash | hang | protocol | fail | refuse | damaged | garbage | deaf | by_time
//                | prepare (until it is asked for a sample) | remote (gpu, of another machine;
//                a checkpoint breaks the connection)
//   KURVE_FAKE_STEPS = how many it trains; KURVE_FAKE_HISTORY = how many points it has logged when it begins;
//   KURVE_FAKE_MILLISECONDS = between two points (20)
// Commands: describe --json; train … --run ID --project DIR (resume is taken as train).

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/wire/message.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/synthetic_trace.h"

namespace {

using kurve::wire::Message;
using nlohmann::json;

std::string mode() {
    const char* text = std::getenv("KURVE_FAKE");
    return text ? text : "";
}

/// Standard streams and everybody at the control socket.
class Line {
public:
    explicit Line(const std::filesystem::path& runFolder) {
        listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int folder = ::open(runFolder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        const std::string path =
            "/proc/self/fd/" + std::to_string(folder) + "/" + kurve::wire::kControlSocket;
        ::unlink(path.c_str());
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0)
            ::listen(listener_, 4);
        ::close(folder);
    }
    void emit(const std::string& type, json body, const std::string& id = {}) {
        const std::string line = kurve::wire::encode({type, id, std::move(body)}) + "\n";
        std::fputs(line.c_str(), stdout);
        std::fflush(stdout);
        for (const int client : clients_) (void)!::write(client, line.data(), line.size());
    }
    std::vector<Message> wait(int milliseconds, const json& hello, const json& state) {
        std::vector<pollfd> fds{{0, POLLIN, 0}, {listener_, POLLIN, 0}};
        if (inputEnded_) fds[0].fd = -1;
        for (const int client : clients_) fds.push_back({client, POLLIN, 0});
        std::vector<Message> messages;
        if (::poll(fds.data(), fds.size(), milliseconds) <= 0) return messages;
        for (std::size_t i = 0; i < fds.size(); ++i) {
            if (!(fds[i].revents & (POLLIN | POLLHUP)) || i == 1) continue;
            char bytes[4096];
            const ssize_t n = ::read(fds[i].fd, bytes, sizeof bytes);
            if (n <= 0 && i == 0) inputEnded_ = true;
            if (n <= 0 && i > 1) std::erase(clients_, fds[i].fd);
            if (n <= 0) continue;
            for (auto& line : reader_.feed({bytes, static_cast<std::size_t>(n)}))
                if (line) messages.push_back(std::move(*line));
        }
        if (fds[1].revents & POLLIN) {
            clients_.push_back(::accept(listener_, nullptr, nullptr));
            for (const auto& [type, body] : {std::pair{"hello", hello}, std::pair{"state", state}}) {
                const std::string line = kurve::wire::encode({type, "", body}) + "\n";
                (void)!::write(clients_.back(), line.data(), line.size());
            }
        }
        return messages;
    }

private:
    int listener_ = -1;
    bool inputEnded_ = false;
    std::vector<int> clients_;
    kurve::wire::LineReader reader_;
};

/// A prompt to the model that trains: recorded and listed with the step of the training.
void answer(const Message& request, std::int64_t step, kurve::store::RunWriter& writer,
            const std::filesystem::path& folder, Line& line) {
    kurve::trace::Trace trace = kurve::test::syntheticTrace({.words = 6, .steps = 3});
    const std::string input = request.body.value("input", "");
    trace.meta["prompt"] = input;
    trace.meta["run"] = folder.filename();
    trace.meta["checkpoint_step"] = std::to_string(step);
    kurve::store::TraceRow row;
    row.step = step;
    row.path = kurve::store::RunFile("traces/" + request.id + ".safetensors");
    row.text = input;
    std::filesystem::create_directories(folder / "traces");
    if (!kurve::trace::writeTrace(folder / row.path.text(), trace)) return;
    writer.trace(row);
    line.emit("traced",
              {{"file", (folder / row.path.text()).string()},
               {"trace", row.path.text()},
               {"output", "as it is"},
               {"steps", 3},
               {"seconds", 0.25},
               {"sample", {{"input", input}, {"score", -1.5}}}},
              request.id);
}

int train(const std::string& id, const std::filesystem::path& project, std::string device, int processes) {
    if (mode() == "refuse") {
        std::fputs("kurve: schedules/none.toml: diffusion.schedule: cannot be read\n", stderr);
        return 2;
    }
    const auto folder = project / "runs" / id;
    auto opened = kurve::store::RunWriter::open(folder);
    if (!opened) {
        std::fprintf(stderr, "kurve: %s\n", opened.error().text().c_str());
        return 1;
    }
    kurve::store::RunWriter& writer = **opened;
    writer.set("id", id);
    writer.set("name", "fake");
    writer.set("family", "toy");
    writer.set("data_hash", "corpus");
    writer.set("state", "running");
    writer.set("started", std::to_string(kurve::wallSeconds()));
    const bool onGpu = mode() == "gpu" || mode() == "remote";
    if (device.empty()) device = onGpu ? "cuda:0" : "cpu";
    writer.set("environment", json{{"device", device}, {"processes", processes}}.dump());
    writer.set("config", "family = \"toy\"\nname = \"fake\"\n[eval]\nsamples = 100\n");
    writer.beginSegment(0, "start");
    writer.heartbeat(0);
    (void)writer.flush();
    Line line(folder);
    const json hello{{"protocol", mode() == "protocol" ? 99 : kurve::wire::kProtocol},
                     {"build", "fake"},
                     {"run", id},
                     {"pid", ::getpid()}};
    line.emit("hello", hello);
    if (mode() == "fail") {
        line.emit("error", {{"code", "data.missing"},
                            {"message", "data/train.tsv does not exist"},
                            {"remedy", "import it first"}});
        writer.set("state", "failed");
        writer.set("reason", "data/train.tsv does not exist");
        return 1;
    }
    if (mode() == "damaged") {
        line.emit("error", {{"code", "checkpoint.damaged"},
                            {"message", "weights.safetensors is damaged; take another"},
                            {"remedy", "take another"},
                            {"checkpoint", 80}});
        return 1;
    }
    if (mode() == "garbage") std::puts("Intel MKL WARNING: not a message");
    const char* speed = std::getenv("KURVE_FAKE_STEPS");
    const std::int64_t total = speed ? std::atoll(speed) : 2000;
    if (mode() == "prepare") {
        line.emit("preparing", {{"fraction", 0.5}, {"text", "vectors of 5 of 10 sentences"}});
        const auto asked = [](const Message& message) { return message.type == "sample"; };
        for (std::vector<Message> all; std::none_of(all.begin(), all.end(), asked);)
            all = line.wait(20, hello, {{"state", "starting"}});
    }
    std::string state = "running";
    json began{{"state", state}, {"reason", ""}, {"step", 0}};
    if (mode() == "remote") began["machine"] = "lab";
    line.emit("state", began);
    const char* history = std::getenv("KURVE_FAKE_HISTORY");
    const char* milliseconds = std::getenv("KURVE_FAKE_MILLISECONDS");
    const int interval = milliseconds ? std::atoi(milliseconds) : 20;
    std::int64_t step = 0;
    for (const std::int64_t end = history ? 10 * std::atoll(history) : 0; step < end; step += 10)
        kurve::testing::logPoint(writer, step, total, kurve::wallSeconds(), 1);
    writer.scalar("copy_bleu", 0, kurve::wallSeconds(), 51.7);
    while (step < total) {
        for (const Message& message :
             line.wait(interval, hello, {{"state", state}, {"reason", ""}, {"step", step}})) {
            if (mode() == "deaf") continue;
            if (message.type == "stop") {
                writer.set("state", "cancelled");
                writer.set("reason", "stopped by the user at step " + std::to_string(step));
                line.emit("state",
                          {{"state", "cancelled"}, {"reason", "stopped by the user"}, {"step", step}});
                line.emit("done", {{"run", id}, {"state", "cancelled"}, {"steps", step}});
                return 130;
            }
            if (message.type == "pause") state = "paused";
            if (message.type == "resume") state = "running";
            if (message.type == "pause" || message.type == "resume") {
                writer.set("state", state);
                writer.event(step, message.type, "by the user");
                line.emit("state", {{"state", state}, {"reason", ""}, {"step", step}});
            }
            if (message.type == "set")
                line.emit("mark", {{"step", step}, {"kind", "set"}, {"text", message.body.dump()}});
            if (message.type == "sample")
                kurve::testing::logEvaluation(writer, step, total, kurve::wallSeconds(), 1);
            if (message.type == "trace") answer(message, step, writer, folder, line);
            if (message.type == "checkpoint" && mode() == "remote")
                line.emit("state", {{"state", "lost_contact"}, {"machine", "lab"}, {"step", step}});
            if (message.type == "ping") line.emit("pong", json::object(), message.id);
        }
        if (state != "running") continue;
        step += 10;
        kurve::testing::logPoint(writer, step, total, kurve::wallSeconds(), 1);
        if (step % 200 == 0) kurve::testing::logEvaluation(writer, step, total, kurve::wallSeconds(), 1);
        writer.heartbeat(step);
        json metrics{{"loss", 1.0}};
        if (onGpu) metrics.update({{"gpu_percent", 87.0}, {"gpu_memory_mb", 3200.0}});
        line.emit("progress", {{"step", step},
                               {"total", total},
                               {"planned_seconds", mode() == "by_time" ? 90.0 : 0.0},
                               {"metrics", metrics},
                               {"device", device},
                               {"tokens_per_second", 9800.0},
                               {"eta_seconds", (total - step) * 0.002}});
        if (mode() == "crash" && step >= 100) std::abort();
        if (mode() == "hang" && step >= 50) {
            ::signal(SIGTERM, SIG_IGN);
            std::fprintf(stderr, "kurve: hanging\n");
            for (;;) ::pause();
        }
    }
    writer.set("state", "completed");
    writer.set("ended", std::to_string(kurve::wallSeconds()));
    line.emit("state", {{"state", "completed"}, {"reason", ""}, {"step", step}});
    line.emit("done", {{"run", id}, {"state", "completed"}, {"steps", step}});
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty()) return 2;
    if (arguments[0] == "describe") {
        std::puts(kurve::testing::syntheticDescription().c_str());
        return 0;
    }
    if (std::find(arguments.begin(), arguments.end(), "--estimate") != arguments.end()) {
        const json memory{
            {"total", 40}, {"weights", 10}, {"gradients", 10}, {"optimizer", 10}, {"activations", 10}};
        std::puts(json{{"estimate", true},
                       {"parameters", 1000},
                       {"memory_mb", memory},
                       {"device", "cpu"},
                       {"fits", true},
                       {"free_memory_mb", 4000}}
                      .dump()
                      .c_str());
        return 0;
    }
    if (std::find(arguments.begin(), arguments.end(), "--dry-run") != arguments.end()) {
        json measured{{"step_seconds", {{"median", 0.25}, {"min", 0.2}, {"max", 0.5}}},
                      {"total_steps", 2000},
                      {"peak_memory_mb", 410},
                      {"checkpoint_mb", 3.5},
                      {"eta_seconds", 600},
                      {"warnings", {"the disk is nearly full"}}};
        if (const auto machine = std::find(arguments.begin(), arguments.end(), "--machine");
            machine != arguments.end())
            measured["machine"] = *std::next(machine);
        std::puts(measured.dump().c_str());
        return 0;
    }
    if (arguments[0] == "new" && arguments.size() > 1) {
        const bool copies = arguments[1] != "--list";
        if (copies && mode() == "hang") {  // a large template, until SIGTERM
            static volatile sig_atomic_t ended = 0;
            ::signal(SIGTERM, [](int) { ended = 1; });
            while (ended == 0) ::usleep(5000);
            std::puts(R"({"error":{"code":"new.cancelled","message":"the copy was ended"}})");
            return 1;
        }
        if (copies) kurve::testing::writeSyntheticProject(arguments[1]);
        const json blank = {{"name", "blank"}, {"title", "for texts of your own"}, {"bytes", 2000}};
        std::puts(json{{"templates", {blank}}, {"project", arguments[1]}}.dump().c_str());
        return 0;
    }
    if (arguments[0] == "machines") {
        std::puts(json{
            {"version", "1"}, {"devices", {{{"id", "cpu"}}, {{"id", "cuda:0"}}}}, {"runs", json::array()}}
                      .dump()
                      .c_str());
        return 0;
    }
    if (arguments[0] == "data") {  // a check that finds nothing to say
        std::puts("{}");
        return 0;
    }
    std::string id = arguments[0] == "resume" ? arguments[1] : "", project = ".", device;
    int processes = 1;
    for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
        if (arguments[i] == "--run") id = arguments[i + 1];
        if (arguments[i] == "--project") project = arguments[i + 1];
        if (arguments[i] == "--device") device = arguments[i + 1];
        if (arguments[i] == "--nproc") processes = std::stoi(arguments[i + 1]);
    }
    return train(id, project, device, processes);
}
