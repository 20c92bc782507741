#include "tests/models/toy_autoencoder.h"

#include <torch/torch.h>

#include <map>

#include "core/base/check.h"
#include "core/text/trained_specials.h"
#include "core/text/trial_tokenizer.h"
#include "core/train/tensor_file.h"
#include "tests/models/family_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models::testing {
namespace {

class ToyResolver final : public train::RunResolver {
public:
    ToyResolver(std::string family, std::int64_t chunk, at::Device device)
        : RunResolver(device),
          family_(std::move(family)),
          config_(toyConfig(family_, known(family_, {{"data.kind", "text"},
                                                     {"data.max_length", "16"},
                                                     {"chunk.tokens", std::to_string(chunk)}}))) {
        std::string words;
        for (char word = 'a'; word < 'u'; ++word) words += std::string(1, word) + " ";
        const std::vector<std::string> lines{words};
        auto made = text::trialTokenizer({"whitespace", text::kFirstRegularToken + 20}, lines);
        KURVE_CHECK(made.has_value(), "{}", made.error().text());
        tokenizer_ = *made;
        const auto model = toyModel(config_);
        torch::optim::Adam optimizer(model->module().parameters(), torch::optim::AdamOptions(3e-3));
        const train::DeviceBatch batch = train::toDevice(batchFor(family_), at::kCPU);
        for (std::uint64_t step = 0; step < 300; ++step) {
            optimizer.zero_grad();
            model->loss(batch, {1, step, 0}).total.backward();
            optimizer.step();
        }
        const auto written = train::writeTensors(weights(), train::moduleTensors(model->module()), {});
        KURVE_CHECK(written.has_value(), "{}", written.error().text());
    }

protected:
    Result<train::OpenReference> open(const FieldSpec& field, const RunReference& named,
                                      const std::string& value) override {
        train::OpenReference opened;
        opened.pin.field = field.key;
        opened.pin.value = value;
        opened.pin.run = named.run;
        opened.config = config_;
        opened.tokenizers.source = opened.tokenizers.target = tokenizer_;
        opened.family = findFamily(family_);
        opened.weights = weights();
        return opened;
    }

private:
    [[nodiscard]] std::filesystem::path weights() const { return folder_ / "weights.safetensors"; }

    const std::string family_;
    const RunConfig config_;
    std::shared_ptr<const text::Tokenizer> tokenizer_;
    kurve::testing::TemporaryFolder folder_;
};

}  // namespace

train::RunResolver& toyAutoencoder(std::int64_t chunk, at::Device device, const std::string& family) {
    static std::map<std::string, std::unique_ptr<ToyResolver>> resolvers;
    auto& resolver = resolvers[family + std::to_string(chunk) + device.str()];
    if (resolver == nullptr) resolver = std::make_unique<ToyResolver>(family, chunk, device);
    return *resolver;
}

}  // namespace kurve::models::testing
