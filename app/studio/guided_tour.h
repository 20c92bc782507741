#pragma once

#include <QObject>
#include <QSet>
#include <functional>
#include <vector>

#include "app/studio/panels.h"
#include "app/studio/tour_card.h"

namespace kurve::studio {

class MainWindow;
class ProjectSession;

/// The tour of four stops: train, look inside, compare, your own text. Each points at the real panel, says
/// one sentence and offers one action. It begins by itself once in a user's life, on a project with bundled
/// runs (a copy of the sample), if `offered`, and from the Help menu at any time. There, once too, the same
/// card tells what the first training measured when it has ended, and leads on: look inside, or compare with
/// a run that came along, where one was measured on the same data.
class GuidedTour : public QObject {
    Q_OBJECT
public:
    GuidedTour(MainWindow& window, ProjectSession& session, bool offered);
    void begin();
    /// Goes on at a stop, as after a change of zoom, which builds the window anew.
    void go(std::size_t stop);
    void leave() { card_->leave(); }
    /// The card of a training that has ended, as soon as its data are read.
    void showEnd(const QString& run);
    /// The run whose end the card tells; empty: it shows a stop, or nothing.
    [[nodiscard]] const QString& endedRun() const { return ended_; }
    /// Inspect with the newest recording of the run whose end is told, else of the selected one.
    void lookInside();
    /// Compare with the same run and one that came along and was measured alike: of the same settings, name
    /// or family, in this order.
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
    [[nodiscard]] bool alike(const QString& a, const QString& b) const;
    [[nodiscard]] QString likest(const QString& run, const QStringList& among) const;
    [[nodiscard]] TourCard::Text endOf(const QString& run) const;
    void compareNewest();
    void goOn(std::size_t stop);
    [[nodiscard]] QString wantedRun() const;

    MainWindow& window_;
    ProjectSession& session_;
    std::vector<Stop> stops_;
    std::size_t at_ = 0;
    QSet<QString> training_;  ///< runs that were seen to train
    bool toldOfTraining_ = false;
    QString ended_;
    bool interrupted_ = false;  ///< a stop was shown when the training ended
    TourCard* card_;
};

}  // namespace kurve::studio
