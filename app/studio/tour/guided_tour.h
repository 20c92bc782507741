#pragma once

#include <QObject>
#include <QSet>
#include <functional>
#include <vector>

#include "app/studio/panels.h"
#include "app/studio/tour/tour_card.h"

namespace kurve::studio {

class MainWindow;
class ProjectSession;

/// The tour of four stops: train, inspect, compare, import text. Each points at a panel and offers one
/// action. It begins once per user, on a project with bundled runs (a copy of the sample), if `offered`, and
/// from the Help menu at any time. In such a project the same card also shows, once, the result of the first
/// training when it has completed, and offers to open its latest trace or to compare it with a bundled run
/// that was evaluated on the same data.
class GuidedTour : public QObject {
    Q_OBJECT
public:
    GuidedTour(MainWindow& window, ProjectSession& session, bool offered);
    void begin();
    /// Shows a stop, also after a change of zoom, which rebuilds the window.
    void go(std::size_t stop);
    void leave() { card_->leave(); }
    /// Shows the result of a completed training as soon as its data are read.
    void showEnd(const QString& run);
    /// The completed run that the card shows; empty: it shows a stop, or nothing.
    [[nodiscard]] const QString& endedRun() const { return ended_; }
    /// Inspect with the newest trace of the completed run that is shown, else of the selected one.
    void openLatestTrace();
    /// Compare with the same run and a bundled one of the same evaluation: of the same settings, name or
    /// family, in this order.
    void compareWithReference();
    [[nodiscard]] bool isRunning() const { return !card_->isHidden(); }
    [[nodiscard]] int stop() const { return static_cast<int>(at_); }
    [[nodiscard]] TourCard& card() { return *card_; }

private:
    struct Stop {
        WorkspaceId workspace;
        QString panel;
        TourCard::Text text;
        std::function<void()> act;
    };
    void addStops();
    [[nodiscard]] bool trains() const;
    [[nodiscard]] TourCard::Text textOf(const Stop& stop) const;
    void act();
    void showStop();
    void beginIfNew();
    void play();
    void watchTrainings();
    [[nodiscard]] bool isSample() const;
    [[nodiscard]] QStringList withBundled(const QString& run) const;
    void whenRead(const QStringList& runs, const std::function<void()>& then);
    [[nodiscard]] bool comparable(const QString& a, const QString& b) const;
    [[nodiscard]] QString mostSimilar(const QString& run, const QStringList& among) const;
    [[nodiscard]] TourCard::Text endOf(const QString& run) const;
    void compareNewest();
    void resumeTour(std::size_t stop);
    [[nodiscard]] QString targetRun() const;

    MainWindow& window_;
    ProjectSession& session_;
    std::vector<Stop> stops_;
    std::size_t at_ = 0;
    QSet<QString> training_;      ///< runs that have been live
    bool showsTraining_ = false;  ///< the first stop offers pause instead of start
    QString ended_;
    bool interrupted_ = false;  ///< a stop was shown when the training completed
    TourCard* card_;
};

}  // namespace kurve::studio
