#include "core/train/follower.h"

#include "core/train/corpus_vectors.h"
#include "core/train/make_trainer.h"
#include "core/train/rank_orders.h"

namespace kurve::train {
namespace {

std::vector<text::Batch> batchesOf(const RankOrder& order, text::BatchStream& stream) {
    stream.seek(order.data);
    std::vector<text::Batch> batches;
    for (std::int64_t i = 0; i < order.batches; ++i) batches.push_back(stream.next());
    return batches;
}

Status obey(const SessionRequest& request, Trainer& trainer, text::BatchStream& stream) {
    const SchemaLookup schema = [&](const std::string&) -> Result<std::shared_ptr<const Schema>> {
        return std::make_shared<const Schema>(schemaOf(*request.family));
    };
    while (true) {
        const RankOrder order = awaitOrder(*request.maybeGroup);
        switch (order.kind) {
            case RankOrder::Kind::Step:
                if (order.buffers) trainer.receiveBuffers();
                (void)trainer.step(batchesOf(order, stream), order.learningRate);
                break;
            case RankOrder::Kind::ClearNonFinite:
                trainer.clearNonFinite();
                break;
            case RankOrder::Kind::Configure: {
                KURVE_TRY(RunConfig config, RunConfig::parse(order.config, "rank 0", schema));
                trainer.setConfig(std::move(config));
                break;
            }
            case RankOrder::Kind::End:
                return {};
        }
    }
}

// As TrainingSession does it; what it computes once and keeps is there before it is read here.
Status prepareAndFollow(const SessionRequest& request) {
    distributed::ProcessGroup& group = *request.maybeGroup;
    group.awaitAnnouncement("data");
    KURVE_CHECKED(resolveReferences(request.resolver.get(), request.config, /*forStart=*/false));
    KURVE_TRY(text::Dataset prepared, text::prepareDataset(request.config, request.project, {}));
    const auto data = std::make_shared<text::Dataset>(std::move(prepared));
    KURVE_TRY(const auto trainer, makeTrainer(*request.family, request.config,
                                              {*data, request.device, request.threads, request.resolver.get(),
                                               request.maybeGroup}));
    group.awaitAnnouncement("vectors");
    VectorWork work;
    work.threads = request.threads * trainer->replicas();
    work.stopped = [] { return false; };
    KURVE_CHECKED(train::prepareVectors(trainer->model(), *data, work));
    KURVE_CHECKED(checkSameExperiment(
        group, {request.config.contentHash(), data->sha256, request.device, trainer->replicas()}));
    trainer->shareState();
    text::BatchStream stream({data, &data->train}, request.config.integer("train.batch_tokens"),
                             static_cast<std::uint64_t>(request.config.integer("seed")));
    return obey(request, *trainer, stream);
}

}  // namespace

Status followTraining(const SessionRequest& request) {
    try {
        Status ended = prepareAndFollow(request);
        if (!ended) request.maybeGroup->leave(ended.error());
        return ended;
    } catch (const distributed::RankLost& lost) {
        return lost.error();
    } catch (const std::exception& error) {
        const std::string what = error.what();
        const Error failure = workError("train.failed", what.substr(0, what.find('\n')));
        request.maybeGroup->leave(failure);
        return failure;
    }
}

}  // namespace kurve::train
