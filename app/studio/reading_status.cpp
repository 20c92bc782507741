#include "app/studio/reading_status.h"

#include "views/common/format.h"

namespace kurve::studio {

using views::countText;

ReadingStatus::ReadingStatus(views::RunCatalog& catalog) : catalog_(catalog) {
    setObjectName(QStringLiteral("status.reading"));
    setAutoRaise(true);
    setFocusPolicy(Qt::NoFocus);  // it comes and goes: keys go through the palette's command
    show();
    connect(&catalog, &views::RunCatalog::readingChanged, this, &ReadingStatus::show);
    connect(this, &QToolButton::clicked, this, &ReadingStatus::toggle);
}

void ReadingStatus::toggle() {
    if (catalog_.reading().left > 0)
        catalog_.goOnReading();
    else
        catalog_.stopReading();
}

void ReadingStatus::show() {
    const views::RunReading& reading = catalog_.reading();
    setVisible(reading.waiting > 0 || reading.left > 0);
    if (reading.left > 0) {
        setText(tr("%1 runs not read  ▸").arg(countText(static_cast<qint64>(reading.left))));
        setToolTip(tr("Go on reading; until then the queue waits, because it may have begun one of them"));
        setAccessibleName(tr("Go on reading the runs of the project"));
        return;
    }
    setText(tr("Reading runs: %1 of %2  ✕")
                .arg(countText(static_cast<qint64>(reading.read)),
                     countText(static_cast<qint64>(reading.read + reading.waiting))));
    setToolTip(tr("The newest are listed first. Stop; what is read is kept"));
    setAccessibleName(tr("Stop reading the runs of the project"));
}

}  // namespace kurve::studio
