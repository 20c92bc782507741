#include "core/train/make_trainer.h"

#include "core/train/decode.h"

namespace kurve::train {

Result<std::unique_ptr<Trainer>> makeTrainer(const ModelFamily& family, const RunConfig& config,
                                             const text::Dataset& data, c10::Device device, int threads) {
    const auto replicas = device.is_cpu() ? config.integer("train.cpu_replicas") : 1;
    std::vector<std::unique_ptr<SequenceModel>> models;
    for (std::int64_t r = 0; r < replicas; ++r) {
        KURVE_TRY(auto model, family.create(config, {shapeOf(data, config), device}));
        models.push_back(std::move(model));
    }
    return std::make_unique<Trainer>(std::move(models), config, device, threads);
}

}  // namespace kurve::train
