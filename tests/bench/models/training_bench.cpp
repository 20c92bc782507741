// Speed of one small training step of a family's preset "tiny" (290 target tokens, V 2000; of Difformer d
// 128, 1+2 layers, latent 64, FFN 256, 4 heads) on one thread in processor time. difformer_torch.py and
// transformer_training_torch.py run it in turns with the same model in PyTorch. training_bench [rounds]
// [steps per round] [dropout] [family]: prints steps per second, one line per round.

#include "tests/bench/models/bench_common.h"

using namespace kurve;

int main(int count, char** arguments) {
    bench::prepare();
    const int rounds = count > 1 ? std::stoi(arguments[1]) : 7,
              steps = count > 2 ? std::stoi(arguments[2]) : 40;
    const RunConfig config = bench::config(count > 4 ? arguments[4] : "difformer",
                                           {{"model.dropout", count > 3 ? arguments[3] : "0"}});
    std::vector<std::unique_ptr<train::SequenceModel>> models;
    models.push_back(bench::model(config, 2000));
    train::Trainer trainer(std::move(models), config, at::kCPU);
    const text::Batch batch = bench::batch(16, 15, 18, 2000);
    for (int i = 0; i < 10; ++i) trainer.step({batch}, 1e-4);
    for (int round = 0; round < rounds; ++round) {
        const double start = bench::cpuSeconds();
        for (int i = 0; i < steps; ++i) {
            trainer.step({batch}, 1e-4);
            (void)
                trainer.nonFinite();  // as training does: it keeps the batches of the steps not yet asked for
        }
        std::printf("%.3f\n", steps / (bench::cpuSeconds() - start));
        std::fflush(stdout);
    }
}
