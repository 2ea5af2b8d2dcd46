/** What is wished of a page. */
public class PageSpec {
  public String text;
  public int replicas = 1;
}
