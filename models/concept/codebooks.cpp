#include "models/concept/codebooks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/tensor/random.h"
#include "core/train/run_reference.h"
#include "core/train/tensor_file.h"

namespace kurve::models::sentence_concept {
namespace {

Error unfitCodebooks(std::string what) {
    return requestError("concept.codebooks", std::move(what)).at(kCodebooks);
}

}  // namespace

Codebooks::Codebooks(Quantizer quantizer, std::string concepts, std::int64_t width)
    : quantizer_(std::move(quantizer)),
      center_(at::zeros({width})),
      scale_(at::ones({width})),
      concepts_(std::move(concepts)) {}

Result<std::shared_ptr<const Codebooks>> Codebooks::of(const RunConfig& config,
                                                       const train::ModelContext& context,
                                                       std::int64_t width) {
    KURVE_TRY(const auto run, train::referencedRun(context, config, kCodebooks));
    if (run == nullptr) return std::shared_ptr<const Codebooks>();
    if (const std::string& kind = run->config.text("model.kind"); !kind.starts_with("quant-"))
        return unfitCodebooks(
                   fmt::format("the run {} is of the kind {}: it has no codebooks", run->pin.run, kind))
            .fix("name one of model.kind \"quant-c\" or \"quant-d\"");
    train::ModelContext inside = context;
    inside.maybeResolver = run->resolver.get();
    KURVE_TRY(const auto concepts, train::referencedRun(inside, run->config, "model.concepts"));
    if (const std::int64_t found = concepts->config.integer("concept.width"); found != width)
        return unfitCodebooks(
                   fmt::format("the codebooks of the run {} are of vectors of the width {}, not {}",
                               run->pin.run, found, width))
            .fix(fmt::format("concept.width = {}", found));
    std::shared_ptr<Codebooks> codebooks(new Codebooks(
        Quantizer(run->config.integer("quantizer.books"), run->config.integer("quantizer.centroids"), width),
        run->config.text("model.concepts"), width));
    if (!context.device.is_meta()) KURVE_CHECKED(codebooks->read(*run, *concepts));
    codebooks->quantizer_->to(context.device);
    codebooks->center_ = codebooks->center_.to(context.device);
    codebooks->scale_ = codebooks->scale_.to(context.device);
    return std::shared_ptr<const Codebooks>(std::move(codebooks));
}

Status Codebooks::read(const train::ReferencedRun& run, const train::ReferencedRun& concepts) {
    KURVE_CHECKED(train::readTensors(run.weights, {{"quantizer.codebooks", quantizer_->codebooks}},
                                     train::OtherTensors::Ignored));
    return train::readTensors(concepts.weights, {{"center", center_}, {"scale", scale_}},
                              train::OtherTensors::Ignored);
}

at::Tensor Codebooks::quantized(const at::Tensor& vectors, const at::Tensor& books) const {
    const torch::NoGradGuard noGrad;
    const at::Tensor sums = quantizer_->sums(quantizer_->codes((vectors - center_) / scale_));
    const at::Tensor which = at::arange(vectors.size(0), books.options()) * sums.size(1) + books;
    return center_ + scale_ * sums.flatten(0, 1).index_select(0, which);
}

at::Tensor Codebooks::quantized(const at::Tensor& vectors, std::int64_t books) const {
    return quantized(vectors, at::full({vectors.size(0)}, books, vectors.options().dtype(at::kLong)));
}

bool Codebooks::areOf(const at::Tensor& center, const at::Tensor& scale) const {
    constexpr double kHalfPrecision = 1e-3;
    return at::allclose(center_, center, kHalfPrecision, kHalfPrecision) &&
           at::allclose(scale_, scale, kHalfPrecision, kHalfPrecision);
}

at::Tensor drawnBooks(std::int64_t rows, std::int64_t books, const RunConfig& config,
                      const train::StepRandom& random, c10::Device device) {
    const auto uniforms = [&](const char* purpose) {
        return tensor::uniformRows({rows, 1}, {random.stream(purpose), random.row}, device).squeeze(1);
    };
    const double least = std::ceil(config.real("concept.least_books") * static_cast<double>(books));
    const auto fewest = std::max<std::int64_t>(1, static_cast<std::int64_t>(least));
    const at::Tensor drawn =
        (uniforms("concept.books") * static_cast<double>(books - fewest + 1)).to(at::kLong) + fewest;
    return at::where(uniforms("concept.truncated").lt(config.real("concept.truncated")), drawn,
                     at::full_like(drawn, books));
}

}  // namespace kurve::models::sentence_concept
