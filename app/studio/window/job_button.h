#pragma once

#include <QToolButton>

namespace kurve::studio {

/// In the status bar: the progress of a job; a click ends it. Hidden while there is none.
class JobButton : public QToolButton {
    Q_OBJECT
public:
    /// `end`: what a click does, for screen readers, and `tip`.
    JobButton(const char* id, const QString& end, const QString& tip) : end_(end), tip_(tip) {
        setObjectName(QLatin1String(id));
        setAutoRaise(true);
        showJob({});
    }
    void showJob(const QString& status) {
        setVisible(!status.isEmpty());
        setText(status + QStringLiteral("  ✕"));
        setToolTip(tip_);
        setAccessibleName(end_);
    }

private:
    QString end_, tip_;
};

}  // namespace kurve::studio
