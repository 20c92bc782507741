// What LCM says of a sentence autoencoder that it cannot work with.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>

#include "core/train/run_reference.h"
#include "core/train/tensor_file.h"
#include "models/families.h"
#include "tests/models/family_fixture.h"
#include "tests/models/toy_autoencoder.h"
#include "tests/support/temporary_folder.h"

namespace kurve::models::lcm {
namespace {

/// Finds the toy autoencoder, with another first value in one of its tensors.
class ChangedConcepts final : public train::RunResolver {
public:
    ChangedConcepts(std::string tensor, double value)
        : RunResolver(at::kCPU), tensor_(std::move(tensor)), value_(value) {}

protected:
    Result<train::OpenReference> open(const FieldSpec& field, const RunReference& /*named*/,
                                      const std::string& value) override {
        KURVE_TRY(const auto run, testing::toyAutoencoder(0, at::kCPU, "concept").find(field, value));
        KURVE_TRY(const auto model, run->frozenModel(at::kCPU));
        train::NamedTensors all = train::moduleTensors(model->module());
        all.at(tensor_) = all.at(tensor_).clone();
        all.at(tensor_).view(-1)[0].fill_(value_);
        train::OpenReference opened = *run;
        opened.weights = folder_.path() / "weights.safetensors";
        KURVE_TRY(const std::string hash, train::writeTensors(opened.weights, all, {}));
        opened.pin.weights = hash;
        return opened;
    }

private:
    std::string tensor_;
    double value_;
    kurve::testing::TemporaryFolder folder_;
};

std::string createdOn(const std::string& tensor, double value) {
    ChangedConcepts changed(tensor, value);
    train::ModelContext context = testing::contextFor("lcm", at::kCPU);
    context.maybeResolver = &changed;
    const auto made = findFamily("lcm")->create(testing::toyConfig("lcm"), context);
    return made ? std::string() : made.error().code + " " + made.error().text();
}

TEST(UnfitConcepts, AreNamedWithTheFieldAndTheRemedy) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(createdOn("scale", 2), "");
    EXPECT_EQ(createdOn("from_vector.weight", kNan),
              "concept.not_finite model.concepts: the run toy has values that are not finite in "
              "from_vector.weight; name another checkpoint of it: RUN@CHECKPOINT");
    EXPECT_EQ(createdOn("scale", std::numeric_limits<double>::infinity()),
              "concept.not_finite model.concepts: the run toy has values that are not finite in scale; "
              "name another checkpoint of it: RUN@CHECKPOINT");
    EXPECT_EQ(createdOn("seen", 0),
              "concept.untrained model.concepts: the run toy has never been trained: nothing says how its "
              "vectors are scaled; train it first, or name another run");
}

}  // namespace
}  // namespace kurve::models::lcm
