#include "core/distributed/rank_environment.h"

#include <gmock/gmock.h>

#include <map>

namespace kurve::distributed {
namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Result<std::optional<RankEnvironment>> from(const Variables& variables) {
    return rankEnvironment([&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
    });
}

std::string refused(const Variables& variables) {
    const auto found = from(variables);
    return found ? "accepted" : found.error().code + " " + found.error().text();
}

const Variables kTorchrun{{"RANK", "5"},
                          {"WORLD_SIZE", "8"},
                          {"LOCAL_RANK", "1"},
                          {"MASTER_ADDR", "node7"},
                          {"MASTER_PORT", "29400"}};

Variables with(Variables variables, const std::string& name, const std::string& value) {
    variables[name] = value;
    return variables;
}

TEST(RankEnvironment, IsTorchruns) {
    const auto found = from(kTorchrun);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->rank, 5);
    EXPECT_EQ((*found)->size, 8);
    EXPECT_EQ((*found)->localRank, 1);
    EXPECT_EQ((*found)->host, "node7");
    EXPECT_EQ((*found)->port, 29400);
    EXPECT_FALSE((*found)->agentPrefix);
}

TEST(RankEnvironment, LeavesTheStoreToTorchrunsAgent) {
    const auto found = from(
        with(with(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE", "True"), "TORCHELASTIC_RESTART_COUNT", "2"));
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->agentPrefix, "/worker/attempt_2");
}

TEST(RankEnvironment, NeedsNoAddressOnOneMachineOfSlurm) {
    const Variables slurm{{"SLURM_PROCID", "3"},    {"SLURM_STEP_NUM_TASKS", "4"},
                          {"SLURM_LOCALID", "3"},   {"SLURM_STEP_NUM_NODES", "1"},
                          {"SLURM_JOB_ID", "1234"}, {"SLURM_STEP_ID", "0"}};
    const auto found = from(slurm), again = from(with(slurm, "SLURM_PROCID", "0")),
               other = from(with(slurm, "SLURM_JOB_ID", "1235"));
    ASSERT_TRUE(found && *found && again && *again && other && *other);
    EXPECT_EQ((*found)->rank, 3);
    EXPECT_EQ((*found)->localRank, 3);
    EXPECT_EQ((*found)->host, "127.0.0.1");
    EXPECT_EQ((*found)->port, (*again)->port);
    EXPECT_NE((*found)->port, (*other)->port);
    EXPECT_THAT(refused(with(slurm, "SLURM_STEP_NUM_NODES", "2")),
                HasSubstr("MASTER_ADDR: is not set: the ranks are on several machines"));
}

// sbatch sets it in the script, where a program that srun does not start is alone.
TEST(RankEnvironment, IsAloneInABatchScript) {
    const auto found = from({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "1234"}});
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found);
}

TEST(RankEnvironment, IsOpenMpis) {
    const Variables mpirun{{"OMPI_COMM_WORLD_RANK", "1"},
                           {"OMPI_COMM_WORLD_SIZE", "2"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                           {"PMIX_NAMESPACE", "1871380481"}};
    const auto found = from(mpirun);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->rank, 1);
    EXPECT_EQ((*found)->size, 2);
    EXPECT_EQ((*found)->localRank, 1);
    EXPECT_EQ((*found)->host, "127.0.0.1");
    EXPECT_THAT(refused(with(mpirun, "OMPI_COMM_WORLD_LOCAL_SIZE", "1")), HasSubstr("MASTER_ADDR"));
}

TEST(RankEnvironment, IsNoneOfAProcessAlone) {
    for (const Variables& alone :
         {Variables{}, {{"WORLD_SIZE", "4"}}, {{"RANK", "0"}, {"WORLD_SIZE", "1"}}}) {
        const auto found = from(alone);
        ASSERT_TRUE(found);
        EXPECT_FALSE(*found);
    }
}

TEST(GpuOfRank, IsTheOneOfItsNumberOnTheMachine) {
    const auto gpuOf = [](const Variables& variables, int localRank, int gpus) {
        const auto found = gpuOfRank(
            [&](const char* name) {
                const auto variable = variables.find(name);
                return variable == variables.end() ? std::nullopt
                                                   : std::optional<std::string>(variable->second);
            },
            {9, 12, localRank, kLoopback, 1}, gpus);
        return found ? std::to_string(*found) : found.error().code + " " + found.error().text();
    };
    EXPECT_EQ(gpuOf(kTorchrun, 3, 4), "3");
    EXPECT_EQ(gpuOf(kTorchrun, 4, 4),
              "device.no_such_gpu LOCAL_RANK: rank 9 needs GPU 4 of its machine, which has 4 GPUs; start no "
              "more ranks on a machine than it has GPUs, or use --device cpu");
    EXPECT_THAT(gpuOf(kTorchrun, 1, 1),
                HasSubstr("rank 9 needs GPU 1 of its machine, which has GPU 0 alone"));
    const Variables srun{{"SLURM_PROCID", "9"}, {"SLURM_STEP_NUM_TASKS", "12"}};
    EXPECT_EQ(gpuOf(srun, 3, 1), "0");  // --gpus-per-task=1
    EXPECT_EQ(gpuOf(srun, 3, 4), "3");
}

TEST(GpuOfRank, IsOneForEachProcessOfThisMachine) {
    EXPECT_TRUE(checkGpusFor(4, 4));
    const Status refused = checkGpusFor(2, 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "device.no_such_gpu");
    EXPECT_EQ(refused.error().text(),
              "--nproc: 2 processes need a GPU each; this one sees GPU 0 alone; start no more processes than "
              "there are GPUs, or use --device cpu");
}

TEST(RankEnvironment, NamesTheVariableThatIsWrong) {
    EXPECT_EQ(
        refused(with(kTorchrun, "RANK", "8")),
        "distributed.environment RANK: 8 is no rank of 8 (WORLD_SIZE); start the ranks by torchrun, srun, "
        "mpirun or --nproc");
    EXPECT_THAT(refused(with(kTorchrun, "RANK", "one")), HasSubstr("RANK: \"one\" is not a whole number"));
    EXPECT_THAT(refused(with(kTorchrun, "RANK", "-1")), HasSubstr("RANK: -1 is not in 0 to"));
    EXPECT_THAT(refused(with(kTorchrun, "WORLD_SIZE", "")),
                HasSubstr("WORLD_SIZE: \"\" is not a whole number"));
    EXPECT_THAT(refused({{"RANK", "0"}}), HasSubstr("WORLD_SIZE: is not set"));
    EXPECT_THAT(refused(with(kTorchrun, "MASTER_PORT", "70000")),
                HasSubstr("MASTER_PORT: 70000 is not in 1 to"));
    EXPECT_THAT(refused(with(kTorchrun, "MASTER_ADDR", "")), HasSubstr("MASTER_ADDR: is not set"));
}

}  // namespace
}  // namespace kurve::distributed
