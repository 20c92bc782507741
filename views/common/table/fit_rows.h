#pragma once

class QTableView;

namespace kurve::views {

/// Keeps the rows of a table as high as their wrapped texts: after changes of its model, its widths and the
/// theme, once for several in a row. The table has its model. GUI thread.
void fitRows(QTableView& table);

}  // namespace kurve::views
