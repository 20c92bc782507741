// What the sentence curve costs: training step and decoding of SCLM against Difformer, and of SCLM on MDLM
// against MDLM, of equal sizes, by rho. sclm_bench [rounds]. Processor time, one thread, rounds in turns.

#include "models/difformer/difformer_net.h"
#include "tests/bench/models/bench_common.h"

using namespace kurve;

namespace {

struct Contender {
    std::string name;
    double rho;
    RunConfig config;
    std::unique_ptr<train::SequenceModel> model;
};

/// Random weights would give every sentence a length of chance, and padding would be measured: all get their
/// source's.
void predictSourceLength(torch::nn::Module& module) {
    const torch::NoGradGuard noGrad;
    auto& net = dynamic_cast<models::difformer::DifformerNetImpl&>(module);
    const at::Tensor& weight = net.length->weight;
    net.length = models::Linear(weight.size(1), weight.size(0));
    net.length->weight.zero_();
    net.length->bias.zero_();
    net.length->bias[weight.size(0) / 2] = 1;
}

Contender contender(const std::string& name, const std::string& family, double rho,
                    std::vector<Override> settings) {
    const RunConfig config = bench::config(family, settings);
    return {name, rho, config, bench::model(config, 2000)};
}

std::string number(double value) {
    return fmt::format("{}", value);
}

/// The base, then its maps.
std::vector<Contender> group(const std::string& base, const std::string& curve,
                             const std::vector<Override>& settings) {
    std::vector<Contender> all;
    const auto add = [&](const std::string& name, double rho, std::vector<Override> map) {
        const bool isBase = map.empty();
        map.insert(map.begin(), settings.begin(), settings.end());
        all.push_back(contender(name, isBase ? base : curve, rho, map));
    };
    add(base, 1, {});
    for (const double rho : {2.0, 2.5, 3.0, 3.5}) add("rho " + number(rho), rho, {{"map.rho", number(rho)}});
    add("repeat 3", 3, {{"map.rho", "3"}, {"map.kind", "repeat"}});
    add("rho 3, lift 5", 3, {{"map.rho", "3"}, {"map.lift_layer", "5"}});
    return all;
}

void report(const char* what, const std::vector<Contender>& all,
            const std::vector<std::vector<double>>& seconds) {
    for (std::size_t i = 1; i < all.size(); ++i) {
        const bench::Ratio r = bench::ratio(seconds[i], seconds[0]);
        std::printf("%-8s %-14s %8.2f ms  %.2f x %s (10-90 %%: %.2f-%.2f), rho %.1f\n", what,
                    all[i].name.c_str(), 1e3 * bench::median(seconds[i]), r.middle, all[0].name.c_str(),
                    r.low, r.high, all[i].rho);
    }
}

void measure(std::vector<Contender>& all, int rounds, const text::Batch& batch,
             const train::GenerateRequest& request) {
    const train::DeviceBatch device = train::toDevice(batch, at::kCPU);
    std::vector<std::function<void()>> train, decode;
    for (Contender& c : all) {
        train.push_back([&c, &device] {
            c.model->module().zero_grad();
            for (std::uint64_t step = 0; step < 4; ++step)
                c.model->loss(device, {1, step, 0}).total.backward();
        });
        decode.push_back(
            [&c, &request] { KURVE_CHECK(c.model->generate(request, c.config, nullptr), "failed"); });
    }
    report("train", all, bench::interleaved(rounds, train));
    report("decode", all, bench::interleaved(rounds, decode));
}

void onDifformer(int rounds) {
    auto all = group("difformer", "sclm",
                     {{"model.hidden", "256"},
                      {"model.ffn", "512"},
                      {"model.latent", "128"},
                      {"model.encoder_layers", "3"},
                      {"model.decoder_layers", "6"},
                      {"sampler.steps", "5"}});
    for (Contender& one : all) predictSourceLength(one.model->module());
    const text::Batch batch = bench::batch(32, 24, 24, 2000);
    train::GenerateRequest request;
    for (int r = 0; r < batch.rows; ++r)
        request.sources.emplace_back(
            batch.source.begin() + r * batch.sourceLength,
            batch.source.begin() + r * batch.sourceLength + batch.sourceLengths[static_cast<std::size_t>(r)]);
    measure(all, rounds, batch, request);
}

/// A fixed canvas: every text has the longest length.
void onMdlm(int rounds) {
    auto all = group("mdlm", "sclm_mdlm",
                     {{"data.kind", "text"},
                      {"model.hidden", "256"},
                      {"model.ffn", "512"},
                      {"model.layers", "6"},
                      {"model.length", "fixed"},
                      {"sampler.rule", "budget"},
                      {"sampler.steps", "8"}});
    text::Batch batch = bench::batch(16, 24, 24, 2000);
    batch.source.clear();
    batch.sourceLength = 0;
    batch.sourceLengths.assign(static_cast<std::size_t>(batch.rows), 0);
    train::GenerateRequest request;
    request.sources.resize(8);
    measure(all, rounds, batch, request);
}

}  // namespace

int main(int count, char** arguments) {
    bench::prepare();
    const int rounds = count > 1 ? std::stoi(arguments[1]) : 7;
    onDifformer(rounds);
    onMdlm(rounds);
}
