#include "core/train/common_fields.h"

#include <utility>

#include "core/text/dataset.h"
#include "core/train/model_family.h"

namespace kurve::train {
namespace {

std::vector<FieldSpec> optimizerFields() {
    return {
        choiceField("train.optimizer", "adamw", {"adamw", "adam"},
                    "adamw decouples the weight decay, adam does not")
            .from("Difformer's code, train.sh"),
        realField("train.lr", 5e-4, "peak learning rate")
            .range(0, 10)
            .from("Difformer's code, train.sh")
            .changeableLive(),
        choiceField("train.schedule", "inverse-sqrt", {"inverse-sqrt", "linear", "cosine", "constant"},
                    "learning-rate schedule after warm-up; linear and cosine end at the planned last step")
            .from("Difformer's code, train.sh"),
        integerField("train.warmup_steps", 10000, "steps of linear warm-up from train.lr_initial to train.lr")
            .atLeast(0)
            .unit("steps")
            .from("Difformer's code, train.sh"),
        realField("train.lr_initial", 1e-7, "learning rate before the first step")
            .atLeast(0)
            .from("Difformer's code, train.sh"),
        realField("train.lr_final", 0.0, "where linear and cosine end").atLeast(0),
        realField("train.beta1", 0.9, "decay of the mean of gradients")
            .range(0, 0.999999)
            .from("Difformer's code, train.sh"),
        realField("train.beta2", 0.98, "decay of the mean of squared gradients")
            .range(0, 0.999999)
            .from("Difformer's code, train.sh"),
        realField("train.eps", 1e-8, "added to the root of the squared gradients")
            .range(0, 1)
            .from("Difformer's code, train.sh"),
        realField("train.weight_decay", 0.01,
                  "on all parameters, LayerNorm and embeddings included; see train.parameter_groups")
            .range(0, 1)
            .from("Difformer's code, train.sh"),
        realField("train.max_grad_norm", 1.0, "largest norm of the whole gradient; 0 = no clipping")
            .atLeast(0)
            .from("Difformer's code, train.sh")
            .changeableLive(),
        realField("train.ema_decay", 0.0, "decay of the averaged weights that evaluation then uses; 0 = off")
            .range(0, 0.999999),
        textField("train.parameter_groups", "",
                  "factors of learning rate and weight decay by parameter name, of the first pattern that "
                  "matches: \"encoder.*: lr 0.1, decay 0; embed*: frozen\"")
            .neutralByDefault(),
        runField(kInitFrom, "run whose weights training begins from, instead of random ones")
            .neutralByDefault(),
        textField("train.init_from_parameters", "",
                  "name patterns, with commas, of the parameters taken from train.init_from; empty: all, and "
                  "both models must have the same ones")
            .neutralByDefault(),
    };
}

std::vector<FieldSpec> lengthFields() {
    return {
        integerField("train.steps", 0, "optimizer steps of the whole run; 0 = as many as train.seconds allow")
            .atLeast(0)
            .unit("steps"),
        realField("train.seconds", 0, "time of the whole run, evaluation included, pauses not; 0 = no limit")
            .atLeast(0)
            .unit("s"),
        integerField("train.expected_steps", 3000,
                     "steps that train.seconds is expected to allow: the schedule's end until the speed is "
                     "measured, and "
                     "always where --max-steps is given, so that such runs do not depend on a clock")
            .atLeast(1)
            .unit("steps"),
        integerField(
            "train.batch_tokens", 8192,
            "rows x longest side of one batch, padding included; a family that fills texts to a fixed "
            "length reads more")
            .range(8, 1 << 22)
            .unit("tokens")
            .from("Difformer's code, train.sh"),
        integerField("train.accumulate", 1, "batches whose gradients are added before one optimizer step")
            .range(1, 4096),
        choiceField("train.precision", "fp32", {"fp32", "bf16"},
                    "bf16: matrix products and attention of a training step in bf16; weights, norms, losses, "
                    "frozen networks, evaluation and decoding stay in fp32. Faster on GPUs, and on CPUs with "
                    "AVX512-BF16 for wide models")
            .neutralByDefault(),
        flagField("train.activation_checkpointing", false,
                  "keep only the input of each block for the backward pass, which computes the block again: "
                  "less memory, about a quarter more time, the same gradients")
            .reportingOnly(),
        integerField(
            "train.cpu_replicas", 1,
            "parts of each batch that are computed at the same time, one thread each; results are exact for "
            "a fixed number")
            .range(1, 64),
        flagField(
            "train.shard_optimizer", false,
            "of several processes each holds the optimizer's state of its part of the weights alone: less "
            "memory, shorter updates, the same weights; if one is lost, the run goes on from its last "
            "checkpoint, not from its last step")
            .reportingOnly(),
    };
}

std::vector<FieldSpec> evaluationFields() {
    return {
        realField("eval.every_seconds", 0, "time between evaluations; 0 = by steps only")
            .atLeast(0)
            .unit("s")
            .reportingOnly()
            .changeableLive(),
        integerField("eval.every_steps", 1000, "steps between evaluations; 0 = by time only")
            .atLeast(0)
            .unit("steps")
            .reportingOnly()
            .changeableLive(),
        integerField("eval.loss_pairs", 200, "validation pairs whose loss is computed")
            .atLeast(0)
            .reportingOnly(),
        integerField("eval.samples", 100, "validation pairs that are decoded and scored; 0 = none")
            .atLeast(0)
            .reportingOnly(),
        integerField("eval.prompt_count", 6,
                     "fixed prompts (data.prompts) that are traced at each evaluation")
            .range(0, 1000)
            .reportingOnly(),
    };
}

std::vector<FieldSpec> recordFields() {
    return {
        realField("checkpoint.every_seconds", 0, "time between checkpoints; 0 = by steps only")
            .atLeast(0)
            .unit("s")
            .reportingOnly()
            .changeableLive(),
        integerField("checkpoint.every_steps", 1000, "steps between checkpoints; 0 = by time only")
            .atLeast(0)
            .unit("steps")
            .reportingOnly()
            .changeableLive(),
        integerField("checkpoint.keep_last", 2, "newest checkpoints to retain")
            .range(1, 100000)
            .reportingOnly(),
        integerField("checkpoint.keep_best", 1, "best checkpoints by checkpoint.metric to retain as well")
            .range(0, 100000)
            .reportingOnly(),
        choiceField(
            "checkpoint.metric", "valid_bleu", {"valid_bleu", "valid_loss", "valid_nelbo"},
            "metric that selects the best checkpoints; valid_nelbo of families with a likelihood bound")
            .reportingOnly(),
        flagField(
            "checkpoint.save_weights_only", false,
            "when the run completes, keep only half-precision weights (smaller; the run cannot be resumed)")
            .reportingOnly(),
        integerField("log.histogram_steps", 200,
                     "steps between histograms of weights, gradients and activations by layer; 0 = none")
            .atLeast(0)
            .unit("steps")
            .reportingOnly()
            .changeableLive(),
        integerField(
            "log.gradient_rows", 32,
            "sentences at each evaluation whose own gradient norm is computed, by noise level, for families "
            "that train at noise levels; 0 = none")
            .range(0, 100000)
            .reportingOnly()
            .changeableLive(),
        integerField("log.every_steps", 10, "steps between logged points").range(1, 1000000).reportingOnly(),
    };
}

template <class Fields>
void append(std::vector<FieldSpec>& all, Fields&& more) {
    for (auto& field : more) all.push_back(std::move(field));
}

}  // namespace

std::vector<FieldSpec> trainingFields() {
    std::vector<FieldSpec> fields{
        integerField("seed", 1, "seed of every random draw: initial values, data order, noise, dropout")
            .atLeast(0)};
    append(fields, lengthFields());
    append(fields, optimizerFields());
    append(fields, evaluationFields());
    append(fields, recordFields());
    return fields;
}

namespace {

/// The common ones, of which data.kind offers what the family's prompts say.
std::vector<FieldSpec> dataFields(const Schema& family) {
    std::vector<FieldSpec> fields = text::dataFields();
    FieldSpec& kind = fields.front();
    std::erase_if(kind.choices, [&](const std::string& one) { return !family.prompts.contains(one); });
    kind.fallback = kind.choices.front();
    return fields;
}

}  // namespace

Schema schemaOf(const ModelFamily& family) {
    Schema schema = family.ownSchema();
    std::vector<FieldSpec> fields = trainingFields();
    // Display order: seed, the data, the model, then how it is trained and watched.
    std::vector<FieldSpec> all{std::move(fields.front())};
    append(all, dataFields(schema));
    append(all, schema.fields);
    fields.erase(fields.begin());
    append(all, fields);
    schema.fields = std::move(all);
    schema.groups.merge(std::map<std::string, std::string>{{"data", "Data"},
                                                           {"model", "Model"},
                                                           {"init", "Initialization"},
                                                           {"loss", "Loss"},
                                                           {"train", "Training"},
                                                           {"eval", "Evaluation"},
                                                           {"sampler", "Sampler"},
                                                           {"checkpoint", "Checkpoints"},
                                                           {"log", "Logging"}});
    return schema;
}

}  // namespace kurve::train
