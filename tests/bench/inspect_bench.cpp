// Frame times of the drawn views while scrubbing: inspect_bench [FRAMES] [--pictures DIR] [--theme
// light|dark]
// [--scale S] [--size WxH] [--trace FILE] [--words L] [--view NAME]. Prints p50 and p95 in milliseconds of
// drawing (ImGui and OpenGL), of the way back into a picture, and of a whole step: from the playhead's move
// until the window has been painted. The similarity matrix (512 rows of 64 numbers unless --words says else):
// redrawn, and computed for another step and drawn. With --pictures it also leaves what it drew.
#include <fmt/format.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <algorithm>
#include <ctime>
#include <memory>
#include <vector>

#include "tests/support/synthetic_trace.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/curve/curve_panel.h"
#include "views/similarity/similarity_panel.h"
#include "views/timeline/timeline_panel.h"

namespace kurve {
namespace {

using namespace views;

struct Times {
    std::vector<double> draw, read, whole;
    double processor = 0;  ///< all threads, a step: what a busy machine does not blur
    static double at(std::vector<double> values, double fraction) {
        std::sort(values.begin(), values.end());
        return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
    }
    void print(const std::string& name) const {
        fmt::print(
            "{:22} draw {:6.2f} / {:6.2f}   read back {:5.2f} / {:5.2f}   whole step {:6.2f} / {:6.2f}   cpu "
            "{:6.2f}\n",
            name, at(draw, .5), at(draw, .95), at(read, .5), at(read, .95), at(whole, .5), at(whole, .95),
            processor);
    }
};

struct Studio {
    CommandRegistry commands;
    Playhead playhead;
    Selection selection;
    StudioContext context;
    Studio() {
        context.commands = &commands;
        context.playhead = &playhead;
        context.selection = &selection;
    }
};

/// Counts the times a widget was painted.
class Paints : public QObject {
public:
    explicit Paints(QWidget& widget) { widget.installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
    int count = 0;
};

/// Steps through the trace, drawing and painting every time, as scrubbing does.
Times scrub(Studio& studio, ImGuiWidget& canvas, int frames) {
    Times times;
    Paints paints(canvas);
    std::clock_t start = 0;
    for (int i = 0; i < frames + 5; ++i) {
        QElapsedTimer timer;
        timer.start();
        const int before = paints.count;
        studio.playhead.setDenoiseStep((i + 1) % studio.playhead.denoiseSteps());
        while (paints.count == before) QApplication::processEvents();
        const double whole = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
        if (i == 5) start = std::clock();
        if (i < 5) continue;  // fonts, shaders, textures
        times.draw.push_back(canvas.lastDrawMs());
        times.read.push_back(canvas.lastReadMs());
        times.whole.push_back(whole);
    }
    times.processor = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / (frames - 1);
    return times;
}

template <class PanelType>
void bench(const char* name, const std::shared_ptr<const trace::Trace>& trace, const QSize& size, int frames,
           const QString& pictures) {
    Studio studio;
    PanelType panel(studio.context);
    panel.resize(size);
    panel.show();
    studio.playhead.setDenoiseSteps(trace->steps);
    studio.selection.setTrace(trace);
    studio.selection.setPosition(4);
    QElapsedTimer patience;
    patience.start();
    while (!panel.hasData() && patience.elapsed() < 10000)
        QApplication::processEvents(QEventLoop::AllEvents, 10);
    if (!panel.hasData()) return fmt::print("{}: nothing to draw in this trace\n", name);
    scrub(studio, *panel.canvas(), frames)
        .print(fmt::format("{} L={} K={}", name, trace->positions, trace->steps));
    if (pictures.isEmpty()) return;
    studio.playhead.setDenoiseStep(trace->steps / 2);
    panel.grab().save(
        QStringLiteral("%1/%2-%3x%4.png").arg(pictures, name).arg(trace->positions).arg(trace->steps));
}

void printTimes(const std::string& name, std::vector<double> times) {
    fmt::print("{:38} {:6.2f} / {:6.2f}\n", name, Times::at(times, .5), Times::at(times, .95));
}

/// Milliseconds of `change` and the paint that follows it.
template <class Change>
std::vector<double> paintTimes(QWidget& widget, int frames, Change change) {
    std::vector<double> times;
    Paints paints(widget);
    for (int i = 0; i < frames + 5; ++i) {
        QElapsedTimer timer;
        timer.start();
        const int before = paints.count;
        change(i);
        while (paints.count == before) QApplication::processEvents();
        if (i >= 5) times.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }
    return times;
}

/// The big matrix: redrawn alone, and with another step's matrix computed from the states before.
void benchSimilarity(const std::shared_ptr<const trace::Trace>& trace, const QSize& size, int frames,
                     const QString& pictures) {
    Studio studio;
    SimilarityPanel panel(studio.context);
    panel.resize(size);
    panel.show();
    studio.playhead.setDenoiseSteps(trace->steps);
    studio.selection.setTrace(trace);
    QElapsedTimer patience;
    patience.start();
    while (panel.overview().thumbnails.empty() && patience.elapsed() < 60000)
        QApplication::processEvents(QEventLoop::AllEvents, 10);
    while (panel.working()) QApplication::processEvents(QEventLoop::AllEvents, 10);
    const std::string name = fmt::format("similarity L={}", trace->positions);
    printTimes(name + " redraw", paintTimes(*panel.matrix(), frames, [&](int) { panel.matrix()->update(); }));
    printTimes(name + " computed and drawn", paintTimes(*panel.matrix(), frames, [&](int i) {
                   studio.playhead.setDenoiseStep((i + 1) % trace->steps);
               }));
    if (!pictures.isEmpty())
        panel.grab().save(QStringLiteral("%1/similarity-%2.png").arg(pictures).arg(trace->positions));
}

}  // namespace
}  // namespace kurve

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_QPA_UPDATE_IDLE_TIME", "0");  // Qt's pause before it paints is no cost of ours
    QApplication app(argc, argv);
    QCommandLineParser parser;
    parser.addPositionalArgument("frames", "frames to measure");
    parser.addOptions({{"pictures", "", "dir"},
                       {"theme", "", "theme", "light"},
                       {"scale", "", "scale", "1"},
                       {"trace", "", "file"},
                       {"words", "", "length"},
                       {"view", "", "timeline|curve|similarity"},
                       {"size", "", "WxH", "1600x1000"}});
    parser.process(app);
    const int frames = parser.positionalArguments().value(0, "60").toInt();
    kurve::views::applyTheme(
        parser.value("theme") == "dark" ? kurve::views::ThemeMode::Dark : kurve::views::ThemeMode::Light,
        parser.value("scale").toDouble());
    const QStringList size = parser.value("size").split('x');
    const QSize extent(size.value(0).toInt(), size.value(1).toInt());
    std::vector<std::shared_ptr<const kurve::trace::Trace>> traces;
    for (const QString& file : parser.values("trace")) {
        auto read = kurve::trace::readTrace(file.toStdString());
        if (!read) {
            fmt::print(stderr, "{}\n", read.error().text());
            return 1;
        }
        traces.push_back(std::make_shared<const kurve::trace::Trace>(std::move(*read)));
    }
    if (parser.value("view") == "similarity" || !parser.isSet("view"))
        kurve::benchSimilarity(std::make_shared<const kurve::trace::Trace>(kurve::test::syntheticTrace(
                                   {.words = parser.isSet("words") ? parser.value("words").toInt() : 512,
                                    .steps = 8,
                                    .dims = 64,
                                    .curve = false})),
                               extent, frames, parser.value("pictures"));
    if (parser.value("view") == "similarity") return 0;
    for (const auto& [words, steps] : {std::pair{23, 20}, {64, 20}, {256, 128}})
        if (!parser.isSet("trace") && (!parser.isSet("words") || parser.value("words").toInt() == words))
            traces.push_back(std::make_shared<const kurve::trace::Trace>(
                kurve::test::syntheticTrace({.words = words, .steps = steps})));
    for (const auto& trace : traces) {
        const QString view = parser.value("view");
        if (view != "curve")
            kurve::bench<kurve::views::TimelinePanel>("timeline", trace, extent, frames,
                                                      parser.value("pictures"));
        if (view != "timeline")
            kurve::bench<kurve::views::CurvePanel>("curve", trace, extent, frames, parser.value("pictures"));
    }
    return 0;
}
