#include "core/train/follower.h"

#include "core/train/corpus_vectors.h"
#include "core/train/make_trainer.h"
#include "core/train/rank_commands.h"

namespace kurve::train {
namespace {

std::vector<text::Batch> batchesOf(const RankCommand& command, text::BatchStream& stream) {
    stream.seek(command.data);
    std::vector<text::Batch> batches;
    for (std::int64_t i = 0; i < command.batches; ++i) batches.push_back(stream.next());
    return batches;
}

Status followCommands(const SessionRequest& request, Trainer& trainer, text::BatchStream& stream) {
    const SchemaLookup schema = schemaOnly(*request.family);
    while (true) {
        const RankCommand command = receiveCommand(*request.maybeGroup);
        switch (command.kind) {
            case RankCommand::Kind::Step:
                if (command.buffers) trainer.receiveBuffers();
                trainer.keepGradients(command.gradients);
                (void)trainer.step(batchesOf(command, stream), command.learningRate);
                break;
            case RankCommand::Kind::ClearNonFinite:
                trainer.clearNonFinite();
                break;
            case RankCommand::Kind::Configure: {
                KURVE_TRY(RunConfig config, RunConfig::parse(command.config, "rank 0", schema));
                trainer.setConfig(std::move(config));
                break;
            }
            case RankCommand::Kind::GiveAverage:
                (void)trainer.wholeAverage();
                break;
            case RankCommand::Kind::GiveMoments:
                (void)trainer.wholeMoments();
                break;
            case RankCommand::Kind::End:
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
    return followCommands(request, *trainer, stream);
}

}  // namespace

Status followTraining(const SessionRequest& request) {
    try {
        Status ended = prepareAndFollow(request);
        if (!ended) request.maybeGroup->abort(ended.error());
        return ended;
    } catch (const distributed::RankLost& lost) {
        return lost.error();
    } catch (const std::exception& error) {
        const Error failure = errorOf(error);
        request.maybeGroup->abort(failure);
        return failure;
    }
}

}  // namespace kurve::train
