#include "core/train/rank_commands.h"

#include <nlohmann/json.hpp>

#include "core/base/version.h"

namespace kurve::train {
namespace {

using nlohmann::json;

constexpr std::int64_t kNumbers = 7;

}  // namespace

void sendCommand(distributed::ProcessGroup& group, const RankCommand& command) {
    const at::Tensor numbers = at::tensor(
        {static_cast<double>(command.kind), command.learningRate, static_cast<double>(command.data.epoch),
         static_cast<double>(command.data.index), static_cast<double>(command.batches),
         command.buffers ? 1.0 : 0.0, command.gradients ? 1.0 : 0.0},
        at::kDouble);
    group.broadcast(numbers);
    if (command.kind == RankCommand::Kind::Configure) (void)group.broadcast(command.config);
}

RankCommand receiveCommand(distributed::ProcessGroup& group) {
    const at::Tensor numbers = at::zeros({kNumbers}, at::kDouble);
    group.broadcast(numbers);
    const double* n = numbers.data_ptr<double>();
    RankCommand command;
    command.kind = static_cast<RankCommand::Kind>(n[0]);
    command.learningRate = n[1];
    command.data = {static_cast<std::int64_t>(n[2]), static_cast<std::int64_t>(n[3])};
    command.batches = static_cast<std::int64_t>(n[4]);
    command.buffers = n[5] != 0;
    command.gradients = n[6] != 0;
    if (command.kind == RankCommand::Kind::Configure) command.config = group.broadcast(std::string());
    return command;
}

Status checkSameExperiment(distributed::ProcessGroup& group, const RankIdentity& own) {
    const json identity{{"program version", fmt::format("{} {}", versionText(), commitText())},
                        {"experiment", own.experimentHash},
                        {"data", own.dataHash},
                        {"device", c10::DeviceTypeName(own.device.type(), /*lower_case=*/true)},
                        {"number of replicas", std::to_string(own.replicas)}};
    const auto all = group.allGather(identity.dump());
    const json first = json::parse(all.front());
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        const json other = json::parse(all[rank]);
        for (const auto& [what, value] : first.items())
            if (other.at(what) != value)
                return requestError("distributed.differs",
                                    fmt::format("rank {} has another {} than rank 0: {}, not {}", rank, what,
                                                other.at(what).get<std::string>(), value.get<std::string>()))
                    .fix(
                        "start all ranks with the same program, command and project, on machines of one "
                        "kind");
    }
    return {};
}

}  // namespace kurve::train
