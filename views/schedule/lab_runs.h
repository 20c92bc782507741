#pragma once

#include <optional>

#include "views/common/data/run_catalog.h"
#include "views/common/shell/on_first_show.h"
#include "views/common/shell/panel.h"
#include "views/schedule/effect_strip.h"
#include "views/schedule/schedule_readout.h"

namespace kurve::views {

/// What the laboratory shows of the selected run and of a second one: their losses by noise level at the
/// playhead, and the first one's sentences. GUI thread.
class LabRuns : public QObject {
    Q_OBJECT
public:
    /// Works while `lab` is visible; `sentences` outlives this.
    LabRuns(const StudioContext& context, QWidget& lab, EffectStrip& sentences);
    void follow();   ///< the selection
    void refresh();  ///< their colours are of the theme, too
    [[nodiscard]] bool any() const { return !watched_.ids().isEmpty(); }
    /// Of the selected run; empty where it has none.
    [[nodiscard]] const std::vector<schedule::LossLevel>& levels() const { return levels_; }

Q_SIGNALS:
    void read(const kurve::views::RunLosses& losses);

private:
    [[nodiscard]] RunLoss lossOf(int which) const;
    void showSentences(const RunData* data);
    [[nodiscard]] std::optional<TextDecoder> decoderOf(const store::RunSummary& run) const;

    StudioContext context_;
    EffectStrip& sentences_;
    WatchedRuns watched_;
    std::vector<schedule::LossLevel> levels_;
    OnFirstShow refresh_;
};

}  // namespace kurve::views
