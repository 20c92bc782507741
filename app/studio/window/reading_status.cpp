#include "app/studio/window/reading_status.h"

#include "views/common/form/controls.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"

namespace kurve::studio {

using views::countText;
using views::describe;

ReadingStatus::ReadingStatus(views::RunCatalog& catalog) : catalog_(catalog) {
    setObjectName(QStringLiteral("status.reading"));
    setAutoRaise(true);
    setFocusPolicy(Qt::NoFocus);  // only visible at times; its key is that of the command
    show();
    connect(&catalog, &views::RunCatalog::readingChanged, this, &ReadingStatus::show);
    connect(this, &QToolButton::clicked, this, &ReadingStatus::toggle);
}

void ReadingStatus::toggle() {
    if (catalog_.reading().left > 0)
        catalog_.continueReading();
    else
        catalog_.stopReading();
}

void ReadingStatus::show() {
    const views::RunReading& reading = catalog_.reading();
    setVisible(reading.waiting > 0 || reading.left > 0);
    if (reading.left > 0) {
        setText(tr("%1 not read  ▸").arg(views::countedText(static_cast<qint64>(reading.left), tr("run"))));
        describe(this, {}, tr("Resume reading runs"),
                 tr("Resume reading; the queue waits until all runs are read"));
        return;
    }
    setText(tr("Reading runs: %1 of %2  ✕")
                .arg(countText(static_cast<qint64>(reading.read)),
                     countText(static_cast<qint64>(reading.read) + static_cast<qint64>(reading.waiting))));
    describe(this, {}, tr("Pause reading runs"),
             tr("Newest first. Click to pause; runs already read stay listed"));
}

}  // namespace kurve::studio
