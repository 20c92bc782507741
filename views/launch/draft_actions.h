#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "views/common/services/draft_form.h"
#include "views/common/shell/panel.h"

namespace kurve::views {

class Draft;
class PlanBar;

/// Trains, queues, measures and estimates the draft of the launch form. GUI thread.
class DraftActions : public QObject, public DraftRuns {
    Q_OBJECT
public:
    /// All arguments outlive this.
    DraftActions(const StudioContext& context, Draft& draft, PlanBar& plan, QObject* parent);
    void train() override;
    void queue() override;
    void measure() override;
    /// Estimates the memory, once the draft has not changed for a moment.
    void estimateSoon();
    /// The engine's description has arrived or failed, and the draft has taken it.
    void engineChanged();

Q_SIGNALS:
    void said(const QString& text);
    void refused();  ///< the draft has errors

private:
    using Request = void (DraftActions::*)();
    /// The engine's description, without which there is no draft, is on its way.
    [[nodiscard]] bool isLoading() const;
    /// The request waits for it. True: it does.
    bool waits(Request request);
    void runWaiting();  ///< the request that waited
    /// Whether the draft is valid; else with a message.
    [[nodiscard]] bool isReady();
    /// Whether the draft may start: it fits into memory, or was started twice. Else a message says why not.
    [[nodiscard]] bool fits();
    /// Options of a dry run: the draft's machine and device.
    [[nodiscard]] QStringList placeWords() const;
    [[nodiscard]] QStringList localDevice() const;
    [[nodiscard]] QString draftText() const;
    void estimate();
    void estimateNext(std::vector<QStringList> runs, nlohmann::json most);
    [[nodiscard]] bool stillDrafted(const std::vector<QStringList>& runs) const;
    void measureNext(std::vector<QStringList> runs, std::vector<nlohmann::json> known);

    StudioContext context_;
    Draft& draft_;
    PlanBar& plan_;
    std::function<void()> endMeasuring_, endEstimate_;  ///< empty: none is under way
    QTimer settle_;
    QString estimated_;  ///< draft that was estimated last
    QString refused_;    ///< draft whose start was refused last, for lack of memory
    Request waiting_ = nullptr;
};

}  // namespace kurve::views
