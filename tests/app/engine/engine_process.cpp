#include "tests/app/engine/engine_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace kurve::testing {
namespace {

namespace fs = std::filesystem;

void copyLines(const fs::path& from, const fs::path& to, int lines) {
    std::ifstream in(from);
    std::ofstream out(to);
    std::string line;
    while (lines > 0 && std::getline(in, line)) {
        out << line << "\n";
        if (line.rfind("# ", 0) != 0) --lines;
    }
}

constexpr const char* kSmall = R"(preset = "tiny"
[data]
train = "data/train.tsv"
valid = "data/valid.tsv"
same_language = true
max_length = 48
tokenizer.vocabulary = 300
[model]
hidden = 16
latent = 8
heads = 2
ffn = 32
[train]
steps = 12
expected_steps = 12
warmup_steps = 4
batch_tokens = 128
cpu_replicas = 2
[eval]
every_steps = 6
samples = 4
loss_pairs = 8
prompt_count = 1
[checkpoint]
every_steps = 4
keep_last = 10
[log]
every_steps = 2
[sampler]
steps = 4
)";

}  // namespace

EngineProcess::EngineProcess(const std::vector<std::string>& arguments, const fs::path& workingFolder,
                             const std::string& name) {
    int in[2], out[2], err[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
        throw std::runtime_error("no pipes");
    ::signal(SIGPIPE, SIG_IGN);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::dup2(err[1], 2);
        if (::chdir(workingFolder.c_str()) != 0) ::_exit(126);
        const std::string program = std::string(KURVE_BINARY_DIR) + "/bin/" + name;
        std::vector<char*> argv{const_cast<char*>(program.c_str())};
        for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
        argv.push_back(nullptr);
        ::execv(program.c_str(), argv.data());
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    input_ = in[1];
    outputFd_ = out[0];
    logFd_ = err[0];
}

EngineProcess::~EngineProcess() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        finish();
    }
}

void EngineProcess::sendText(const std::string& bytes) {
    [[maybe_unused]] const auto written = ::write(input_, bytes.data(), bytes.size());
}

void EngineProcess::send(const nlohmann::json& command) {
    nlohmann::json line = command;
    line["v"] = 1;
    sendText(line.dump() + "\n");
}

void EngineProcess::closeInput() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
}

void EngineProcess::signal(int number) const {
    ::kill(pid_, number);
}

void EngineProcess::limitFiles(std::uint64_t bytes) const {
    rlimit limit{};
    ::prlimit(pid_, RLIMIT_FSIZE, nullptr, &limit);
    limit.rlim_cur = bytes == 0 ? limit.rlim_max : bytes;
    ::prlimit(pid_, RLIMIT_FSIZE, &limit, nullptr);
}

// Both outputs are read as they come: a full stderr pipe would stop the child.
bool EngineProcess::readMore() {
    std::vector<pollfd> waits;
    if (outputFd_ >= 0) waits.push_back({outputFd_, POLLIN, 0});
    if (logFd_ >= 0) waits.push_back({logFd_, POLLIN, 0});
    if (waits.empty()) return false;
    ::poll(waits.data(), waits.size(), -1);
    for (const auto& wait : waits) {
        if (wait.revents == 0) continue;
        char bytes[1 << 14];
        const auto count = ::read(wait.fd, bytes, sizeof(bytes));
        int& fd = wait.fd == outputFd_ ? outputFd_ : logFd_;
        std::string& text = wait.fd == outputFd_ ? output_ : log_;
        if (count > 0) {
            text.append(bytes, static_cast<std::size_t>(count));
        } else {
            ::close(fd);
            fd = -1;
        }
    }
    takeLines();
    return true;
}

void EngineProcess::takeLines() {
    for (auto end = output_.find('\n', parsed_); end != std::string::npos;
         end = output_.find('\n', parsed_)) {
        auto event = nlohmann::json::parse(output_.substr(parsed_, end - parsed_), nullptr, false);
        if (event.is_object()) events_.push_back(std::move(event));
        parsed_ = end + 1;
    }
}

bool EngineProcess::waitFor(const std::function<bool(const nlohmann::json&)>& wanted) {
    for (;;) {
        while (seen_ < events_.size())
            if (wanted(events_[seen_++])) return true;
        if (outputFd_ < 0 || !readMore()) return false;
    }
}

bool EngineProcess::waitForType(const std::string& type) {
    return waitFor([&](const nlohmann::json& event) { return event.value("type", "") == type; });
}

int EngineProcess::finish() {
    while (readMore()) continue;
    closeInput();
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

EngineResult runEngine(const std::vector<std::string>& arguments, const fs::path& workingFolder,
                       const std::string& program) {
    EngineProcess process(arguments, workingFolder, program);
    process.closeInput();
    const int code = process.finish();
    return {code, process.output(), process.log()};
}

void makeSmallProject(const fs::path& folder) {
    const fs::path sample = fs::path(KURVE_SOURCE_DIR) / "projects" / "sample" / "data";
    fs::create_directories(folder / "data");
    fs::create_directories(folder / "experiments");
    std::ofstream(folder / "project.toml") << "name = \"Small\"\ndefault_experiment = \"small\"\n";
    copyLines(sample / "restore.train.tsv", folder / "data/train.tsv", 300);
    copyLines(sample / "restore.valid.tsv", folder / "data/valid.tsv", 12);
    std::ofstream(folder / "experiments/small.toml") << "family = \"difformer\"\n" << kSmall;
    std::ofstream(folder / "experiments/curve.toml") << "family = \"sclm\"\n" << kSmall;
    std::ofstream(folder / "experiments/spiral.toml")
        << "family = \"diffusia\"\n"
        << kSmall << "[diffusion]\nstep_sampler = \"loss-aware\"\nstep_buckets = 5\nstep_history = 3\n";
    std::string masked = kSmall;
    const auto erase = [](std::string& from, const std::string& part) {
        from.erase(from.find(part), part.size());
    };
    erase(masked, "latent = 8\n");
    std::ofstream(folder / "experiments/masked.toml") << "family = \"cmlm\"\n" << masked;
    std::string causal = masked;
    erase(causal, "[sampler]\nsteps = 4\n");
    std::ofstream(folder / "experiments/causal.toml") << "family = \"transformer\"\n" << causal;
    std::string texts = masked;  // the targets alone
    texts.insert(texts.find("train ="), "kind = \"text\"\n");
    std::ofstream(folder / "experiments/text.toml") << "family = \"mdlm\"\n" << texts;
    std::ofstream(folder / "experiments/text_curve.toml") << "family = \"sclm_mdlm\"\n" << texts;
    std::string several = texts;
    erase(several, "[sampler]\nsteps = 4\n");
    std::ofstream(folder / "experiments/ngram.toml") << "family = \"ngram\"\n" << several;
    std::ofstream(folder / "experiments/sentences.toml") << "family = \"concept\"\n" << several;
    std::string chunks = several;
    erase(chunks, "heads = 2\n");
    std::ofstream(folder / "experiments/chunks.toml") << "family = \"calm_autoencoder\"\n" << chunks;
}

}  // namespace kurve::testing
