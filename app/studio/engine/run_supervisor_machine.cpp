// A run on another machine: what the engine here that follows it says, and what its end means.
#include <csignal>

#include <QDateTime>

#include "app/studio/engine/run_supervisor.h"
#include "core/wire/fields.h"
#include "views/common/text/format.h"

namespace kurve::studio {

/// Nothing reaches the training; what can be ended is the engine here, which costs the training nothing.
void RunSupervisor::stopFollowing() {
    if (++stopPresses_ == 1)
        return setPhase(
            RunPhase::LostContact,
            tr("There is no contact with %1: the training there cannot be stopped now. Stop again "
               "to end only the attempts to reach it.")
                .arg(machine_));
    signalEngine(SIGTERM);
    escalate_.start();
}

void RunSupervisor::loseMachine(double since) {
    lostSince_ = since > 0 ? since : static_cast<double>(QDateTime::currentSecsSinceEpoch());
    setPhase(RunPhase::LostContact,
             tr("Lost contact with %1 since %2; the training there may go on. Trying again.")
                 .arg(machine_, views::momentText(lostSince_)));
}

/// Files go there before the run is there, and come here at its end.
void RunSupervisor::receiveTransfer(const nlohmann::json& body) {
    const wire::Fields said(body);
    const double done = said.number("done", 0), total = said.number("total", 0);
    const QString text = saidState_.isEmpty() ? tr("Sending %1: %2 of %3") : tr("Fetching %1: %2 of %3");
    setPreparation(
        text.arg(QString::fromStdString(said.text("path")), views::bytesText(done), views::bytesText(total)),
        total > 0 ? done / total : 0);
}

void RunSupervisor::setPlace(const QString& device, const QString& machine, int processes) {
    progress_.device = device;
    machine_ = machine;
    processes_ = processes;
}

QString RunSupervisor::unfollowedText(const EngineEnd& end) const {
    const QString text =
        tr("Nothing here follows this run any more; the training on %1 may go on. “Follow the selected run” "
           "catches up.")
            .arg(machine_);
    const bool failed = end.kind == EngineEnd::Kind::Failed && !end.crashed && !end.why.isEmpty();
    return failed ? tr("%1. %2").arg(end.why, text) : text;
}

}  // namespace kurve::studio
