// What a process and a GPU take: the process against the kernel's other account of it, the GPU against a
// library that stands for the driver's.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <vector>

#include "core/base/gpu_meter.h"
#include "core/base/process_meter.h"

namespace kurve {
namespace {

double secondsOf(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double accounted() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
}

TEST(ProcessMeter, CountsProcessorTimeAsTheKernelDoes) {
    const double begin = accounted();
    volatile double sum = 0;
    while (accounted() - begin < 0.3) sum = sum + 1;
    const auto use = ownProcessUse();
    ASSERT_TRUE(use);
    constexpr double kTwoTicks = 0.02;
    EXPECT_LE(use->cpuSeconds, accounted() + kTwoTicks);
    EXPECT_GE(use->cpuSeconds, begin + 0.3 - kTwoTicks);
}

TEST(ProcessMeter, SeesMemoryThatIsTouched) {
    constexpr std::size_t kBytes = 64 << 20;
    const auto before = ownProcessUse();
    std::vector<char> room(kBytes, 'x');
    const auto after = processUse(::getpid());
    ASSERT_TRUE(before && after);
    EXPECT_GT(after->residentBytes - before->residentBytes, static_cast<std::int64_t>(kBytes) * 9 / 10);
    EXPECT_EQ(room[kBytes / 2], 'x');
}

TEST(ProcessMeter, CountsChildrenAlsoWhenTheyHaveEnded) {
    constexpr std::size_t kBytes = 64 << 20;
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const auto before = processUse(::getpid());
    const pid_t child = ::fork();
    if (child == 0) {
        const std::vector<char> room(kBytes, 'x');
        while (accounted() < 0.3) continue;
        (void)!::write(ready[1], &room[kBytes / 2], 1);
        ::pause();
    }
    ASSERT_GE(child, 0);
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    const auto with = processUse(::getpid());
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto after = processUse(::getpid());
    ASSERT_TRUE(before && with && after);
    EXPECT_GT(with->residentBytes - before->residentBytes, static_cast<std::int64_t>(kBytes) * 9 / 10);
    EXPECT_GT(with->cpuSeconds - before->cpuSeconds, 0.2);
    EXPECT_GT(after->cpuSeconds - before->cpuSeconds, 0.2);
    ::close(ready[0]);
}

TEST(ProcessMeter, KnowsOfNoProcessThatHasGone) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    EXPECT_FALSE(processUse(child));
}

TEST(GpuMeter, AsksTheDriverOfTheGpuThatIsMeant) {
    const GpuUse use = GpuMeter("0000:65:00.0", KURVE_FAKE_NVML).read();
    EXPECT_EQ(use.percent.value(), 87);
    EXPECT_EQ(use.bytes.value(), 3'200'000'000);
}

TEST(GpuMeter, LeavesOutWhatTheDriverDoesNotReport) {
    const GpuUse slice = GpuMeter("0000:66:00.0", KURVE_FAKE_NVML).read();
    EXPECT_FALSE(slice.percent);
    EXPECT_EQ(slice.bytes.value(), 1'000'000'000);
}

TEST(GpuMeter, GivesNothingWhereThereIsNoGpu) {
    const GpuMeter other("0000:99:00.0", KURVE_FAKE_NVML), without("0000:65:00.0", "libno-such-driver.so"),
        unnamed("", KURVE_FAKE_NVML);
    for (const GpuMeter* meter : {&other, &without, &unnamed}) {
        EXPECT_FALSE(meter->read().percent);
        EXPECT_FALSE(meter->read().bytes);
    }
    EXPECT_EQ(busIdOfCuda(0), "") << "this program has not loaded CUDA";
}

}  // namespace
}  // namespace kurve
